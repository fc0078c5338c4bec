#pragma once

#include <string>
#include <vector>

namespace sinew {

// What is wrong with a piece of XML, or "": tags that do not close, quotes and ampersands that are not
// escaped.
inline std::string xml_fault(const std::string& xml) {
  std::vector<std::string> open;
  for (size_t i = 0; i < xml.size(); ++i) {
    if (xml[i] == '&') {
      const size_t end = xml.find(';', i);
      if (end == std::string::npos || end - i > 8) return "bare & at " + std::to_string(i);
    }
    if (xml[i] == '>') return "bare > at " + std::to_string(i);
    if (xml[i] != '<') continue;

    // A tag up to its end, with quotes counted.
    size_t end = i + 1;
    char quote = 0;
    for (; end < xml.size() && (quote || xml[end] != '>'); ++end) {
      if (quote && xml[end] == '<') return "< inside a value at " + std::to_string(end);
      if (quote ? xml[end] == quote : xml[end] == '\'' || xml[end] == '"') quote = quote ? 0 : xml[end];
    }
    if (end == xml.size()) return "a tag does not end";
    const std::string tag = xml.substr(i + 1, end - i - 1);
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return "</" + tag.substr(1) + "> closes nothing";
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, tag.find_first_of(" \n")));
    }
    i = end;
  }
  return open.empty() ? "" : "<" + open.back() + "> is not closed";
}

}  // namespace sinew
