#pragma once

#include <string>
#include <vector>

namespace sinew::cli {

// A number with so many digits after the point.
std::string fixed(double value, int digits);

// A number with as few digits as say it to six places: "0.5", "120".
std::string shortest(double value);

// A word as it is typed in a shell: in quotes if it has spaces or letters that a shell takes to mean
// something.
std::string shell_word(const std::string& word);

// Columns padded with spaces to line up, two spaces between them; the first row is the head. Columns in which
// all cells below the head are numbers are set to the right.
std::string table(const std::vector<std::vector<std::string>>& rows);

// The part of a file name or motion name that says what it is: "cmu/07_01.bvh" -> "07_01".
std::string short_name(const std::string& clip);

// "1 bone", "31 bones".
std::string count(size_t number, const std::string& noun);

// Text broken at spaces into lines of at most `width` letters, each after the first indented.
std::string wrapped(const std::string& text, size_t indent, size_t width = 100);

}  // namespace sinew::cli
