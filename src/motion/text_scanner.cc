#include "motion/text_scanner.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "core/error.h"

namespace sinew {

namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

TextScanner::TextScanner(std::string_view text, std::string file)
    : at_(text.data()), end_(text.data() + text.size()), file_(std::move(file)) {
  // A byte order mark is no word.
  if (text.starts_with("\xEF\xBB\xBF")) at_ += 3;
}

void TextScanner::skip_blanks() {
  for (; at_ != end_ && is_blank(*at_); ++at_)
    if (*at_ == '\n') ++line_;
}

std::string_view TextScanner::word() {
  skip_blanks();
  const char* begin = at_;
  while (at_ != end_ && !is_blank(*at_)) ++at_;
  return {begin, static_cast<size_t>(at_ - begin)};
}

std::string_view TextScanner::peek() {
  skip_blanks();
  const char* begin = at_;
  const char* end = at_;
  while (end != end_ && !is_blank(*end)) ++end;
  return {begin, static_cast<size_t>(end - begin)};
}

std::string_view TextScanner::word_on_line() {
  while (at_ != end_ && *at_ != '\n' && is_blank(*at_)) ++at_;
  const char* begin = at_;
  while (at_ != end_ && !is_blank(*at_)) ++at_;
  return {begin, static_cast<size_t>(at_ - begin)};
}

std::string_view TextScanner::rest_of_line() {
  const char* begin = at_;
  at_ = std::find(at_, end_, '\n');
  const std::string_view text = trimmed({begin, static_cast<size_t>(at_ - begin)});
  if (at_ != end_) {
    ++at_;
    ++line_;
  }
  return text;
}

std::string_view TextScanner::full_line() {
  skip_blanks();
  const char* begin = at_;
  at_ = std::find(at_, end_, '\n');
  return trimmed({begin, static_cast<size_t>(at_ - begin)});
}

double TextScanner::number(std::string_view what) {
  const std::string_view w = word();
  double value = 0;
  if (!parse_number(w, value)) fail_expected(what, w);
  return value;
}

bool TextScanner::at_end() {
  skip_blanks();
  return at_ == end_;
}

void TextScanner::fail(const std::string& sentence) const { throw Error(file_, line_, sentence); }

void TextScanner::fail_expected(std::string_view what, std::string_view found) const {
  if (found.empty()) fail("expected " + std::string(what) + ", but the file ends here");
  fail("expected " + std::string(what) + ", found '" + quotable(found) + "'");
}

bool parse_number(std::string_view word, double& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const char* end = word.data() + word.size();
  const auto [stop, failure] = std::from_chars(word.data(), end, value);
  if (stop != end || word.empty()) return false;
  if (failure == std::errc::result_out_of_range) {
    // Too small to be told from zero is zero; too large is refused below.
    value = std::strtod(std::string(word).c_str(), nullptr);
  } else if (failure != std::errc()) {
    return false;
  }
  return std::isfinite(value) && std::abs(value) <= 1e9;
}

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string quotable(std::string_view word) {
  std::string out(word.substr(0, 40));
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 32 || c == 127) c = '?';
  if (word.size() > 40) out += "...";
  return out;
}

}  // namespace sinew
