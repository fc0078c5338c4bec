#pragma once

#include <string>
#include <string_view>

namespace sinew {

// Walks through a text word by word and line by line and knows where it is, so that every complaint can name
// the line. Words are separated by blanks; the text must outlive the scanner.
class TextScanner {
 public:
  TextScanner(std::string_view text, std::string file);

  // The next word, on this line or a later one; empty at the end of the text.
  std::string_view word();
  // The next word without taking it.
  std::string_view peek();
  // The next word if it is on the current line, else empty.
  std::string_view word_on_line();
  // What is left of the current line, without blanks around it; the next line begins afterwards.
  std::string_view rest_of_line();
  // The next line that is not blank, without blanks around it; empty at the end of the text.
  std::string_view full_line();
  // A finite number of magnitude up to 1e9; `what` completes "expected ...". Throws Error.
  double number(std::string_view what);

  bool at_end();
  int line() const { return line_; }
  size_t bytes_left() const { return static_cast<size_t>(end_ - at_); }
  const std::string& file() const { return file_; }

  [[noreturn]] void fail(const std::string& sentence) const;
  // Fails with "expected <what>, found '<found>'", or says that the file ends there.
  [[noreturn]] void fail_expected(std::string_view what, std::string_view found) const;

 private:
  void skip_blanks();

  const char* at_;
  const char* end_;
  int line_ = 1;
  std::string file_;
};

// A finite number of magnitude up to 1e9 that fills the whole word; false otherwise.
bool parse_number(std::string_view word, double& value);

// Whether two words are equal when the case of ASCII letters is ignored.
bool same_word(std::string_view a, std::string_view b);

// A word as it may stand in a message: short, without control characters.
std::string quotable(std::string_view word);

}  // namespace sinew
