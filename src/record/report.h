#pragma once

#include <string>
#include <utility>
#include <vector>

#include "record/image.h"

namespace sinew {

// One figure of a run as a reader sees it.
struct ReportFigure {
  std::string name;   // "foot slide"
  std::string value;  // "1.4 cm/s"
  enum class Mark { kNone, kGood, kBad } mark = Mark::kNone;
};

// What one clip on one character gives to a page. Parts that are empty are left out.
struct ReportSection {
  std::string title;     // "walk on human50"
  std::string subtitle;  // "2.6 s at 120 Hz, looping"
  std::vector<ReportFigure> figures;
  std::vector<std::string> notes;  // in words
  std::string strip_png;           // bytes of the film strip
  std::string video_mp4;           // bytes of a film, played in the page
  std::vector<std::string> maps;   // SVG elements as wide as the page: where the body was pressed
  std::vector<std::string> plots;  // SVG elements
  std::vector<std::pair<std::string, std::string>>
      files;            // what lies beside the page: relative path, what it is
  std::string command;  // that makes it again
};

struct Report {
  std::string title;
  std::string lead;  // one paragraph under the title
  std::vector<ReportSection> sections;
};

// A page that needs nothing else: style, pictures, films and plots are inside. With several sections it
// begins with a table of them. Light or dark as the reader's system is.
std::string html_report(const Report& report);

std::string base64(const std::string& bytes);

}  // namespace sinew
