#include "record/report.h"

#include <algorithm>
#include <sstream>

#include "record/plot.h"

namespace sinew {

namespace {

constexpr const char* kStyle = R"css(
:root{color-scheme:light dark;--paper:#f6f7f9;--card:#fff;--ink:#1f2630;--soft:#667080;--line:#e1e5ea;--accent:#2f6fb5;
--good:#1f7a4d;--good-bg:#e3f4ea;--bad:#b3361f;--bad-bg:#fbe6e1;--code:#f0f2f5;
--plot-paper:#fff;--plot-ink:#262c36;--plot-soft:#687280;--plot-grid:#e6e9ee}
@media (prefers-color-scheme:dark){:root{--paper:#12161c;--card:#1a2028;--ink:#e6eaf0;--soft:#95a1b2;--line:#2a323d;
--accent:#7db3ee;--good:#7fd6a6;--good-bg:#173326;--bad:#f39a84;--bad-bg:#3a1f1a;--code:#222a34;
--plot-paper:#1a2028;--plot-ink:#e6eaf0;--plot-soft:#95a1b2;--plot-grid:#2a323d}}
*{box-sizing:border-box}html{scroll-behavior:smooth}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.55 Inter,system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}
main{max-width:1240px;margin:0 auto;padding:40px 24px 64px}
h1{font-size:30px;letter-spacing:-.02em;margin:0 0 6px}h2{font-size:21px;letter-spacing:-.01em;margin:0}
h3{font-size:12px;text-transform:uppercase;letter-spacing:.07em;color:var(--soft);margin:26px 0 10px}
.lead{color:var(--soft);max-width:72ch;margin:0 0 26px}.sub{color:var(--soft)}a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
section,.overview{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:24px 26px;margin:22px 0}
.head{display:flex;flex-wrap:wrap;align-items:baseline;gap:6px 14px}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(172px,1fr));gap:10px;margin:18px 0 4px}
.figure{border:1px solid var(--line);border-radius:10px;padding:10px 13px}.figure b{display:block;font-size:18px;font-weight:600;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.figure span{color:var(--soft);font-size:12.5px}.good b{color:var(--good)}.bad b{color:var(--bad)}
img.strip,video{display:block;width:100%;height:auto;border-radius:10px;margin-top:18px;border:1px solid var(--line)}video{max-width:720px}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(520px,100%),1fr));gap:14px}
.plots svg,.map svg{width:100%;height:auto;border:1px solid var(--line);border-radius:10px;display:block}.map{overflow-x:auto}.map svg{min-width:760px}
ul.notes{margin:0;padding-left:19px}ul.notes li{margin:3px 0}
pre{background:var(--code);border-radius:10px;padding:12px 15px;margin:0;overflow:auto;font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:8px 14px 8px 0;border-bottom:1px solid var(--line);white-space:nowrap}th{color:var(--soft);font-weight:500;font-size:13px}tr:last-child td{border-bottom:0}
td .tag{padding:2px 8px;margin-left:-8px;border-radius:99px}td .tag.good{background:var(--good-bg);color:var(--good)}td .tag.bad{background:var(--bad-bg);color:var(--bad)}
details>summary{cursor:pointer;color:var(--accent)}footer{color:var(--soft);font-size:13px;margin-top:30px}
@media print{section,.overview{break-inside:avoid;border:0;padding:0}}
)css";

const char* mark_class(ReportFigure::Mark mark) {
  if (mark == ReportFigure::Mark::kGood) return " good";
  return mark == ReportFigure::Mark::kBad ? " bad" : "";
}

// A table with one line a section and one column a figure, in the order in which figures first appear;
// sections without figures have none.
void write_overview(std::ostringstream& html, const Report& report) {
  std::vector<std::string> columns;
  for (const ReportSection& section : report.sections)
    for (const ReportFigure& figure : section.figures)
      if (std::find(columns.begin(), columns.end(), figure.name) == columns.end())
        columns.push_back(figure.name);
  html << "<div class='overview scroll'><table><thead><tr><th></th>";
  for (const std::string& column : columns) html << "<th>" << escape_xml(column) << "</th>";
  html << "</tr></thead><tbody>";
  for (size_t i = 0; i < report.sections.size(); ++i) {
    const ReportSection& section = report.sections[i];
    if (section.figures.empty()) continue;
    html << "<tr><td><a href='#s" << i << "'>" << escape_xml(section.title) << "</a></td>";
    for (const std::string& column : columns) {
      const auto found = std::find_if(section.figures.begin(), section.figures.end(),
                                      [&](const ReportFigure& figure) { return figure.name == column; });
      html << "<td>";
      if (found != section.figures.end())
        html << "<span class='tag" << mark_class(found->mark) << "'>" << escape_xml(found->value)
             << "</span>";
      html << "</td>";
    }
    html << "</tr>";
  }
  html << "</tbody></table></div>";
}

void write_pictures(std::ostringstream& html, const ReportSection& section) {
  if (!section.strip_png.empty())
    html << "<img class='strip' alt='Film strip of " << escape_xml(section.title)
         << "' src='data:image/png;base64," << base64(section.strip_png) << "'>";
  if (!section.video_mp4.empty())
    html << "<video controls loop muted playsinline src='data:video/mp4;base64," << base64(section.video_mp4)
         << "'></video>";
}

void write_section(std::ostringstream& html, const ReportSection& section, size_t index, bool folded) {
  html << "<section id='s" << index << "'>";
  if (!section.title.empty() || !section.subtitle.empty())
    html << "<div class='head'><h2>" << escape_xml(section.title) << "</h2><span class='sub'>"
         << escape_xml(section.subtitle) << "</span></div>";
  if (!section.figures.empty()) {
    html << "<div class='figures'>";
    for (const ReportFigure& figure : section.figures)
      html << "<div class='figure" << mark_class(figure.mark) << "'><b>" << escape_xml(figure.value)
           << "</b><span>" << escape_xml(figure.name) << "</span></div>";
    html << "</div>";
  }
  write_pictures(html, section);
  if (!section.notes.empty()) {
    html << "<h3>What was found</h3><ul class='notes'>";
    for (const std::string& note : section.notes) html << "<li>" << escape_xml(note) << "</li>";
    html << "</ul>";
  }
  if (!section.maps.empty()) {
    html << "<h3>Contacts</h3>";
    for (const std::string& svg : section.maps) html << "<div class='map'>" << svg << "</div>";
  }
  if (!section.plots.empty()) {
    html << "<h3>Curves</h3>" << (folded ? "<details><summary>Show the plots</summary>" : "")
         << "<div class='plots'>";
    for (const std::string& svg : section.plots) html << svg;
    html << "</div>" << (folded ? "</details>" : "");
  }
  if (!section.files.empty()) {
    html << "<h3>Files</h3><ul class='notes'>";
    for (const auto& [path, what] : section.files)
      html << "<li><a href='" << escape_xml(path) << "'>" << escape_xml(path) << "</a> <span class='sub'>"
           << escape_xml(what) << "</span></li>";
    html << "</ul>";
  }
  if (!section.command.empty())
    html << "<h3>How it was made</h3><pre>" << escape_xml(section.command) << "</pre>";
  html << "</section>";
}

}  // namespace

std::string base64(const std::string& bytes) {
  constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](size_t k) { return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0U; };
    const unsigned three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    out += kDigits[three >> 18];
    out += kDigits[three >> 12 & 63];
    out += i + 1 < bytes.size() ? kDigits[three >> 6 & 63] : '=';
    out += i + 2 < bytes.size() ? kDigits[three & 63] : '=';
  }
  return out;
}

std::string html_report(const Report& report) {
  std::ostringstream html;
  html << "<!doctype html><html lang='en'><head><meta charset='utf-8'><meta name='viewport' "
          "content='width=device-width,initial-scale=1'><title>"
       << escape_xml(report.title) << "</title><style>" << kStyle << "</style></head><body><main><h1>"
       << escape_xml(report.title) << "</h1><p class='lead'>" << escape_xml(report.lead) << "</p>";
  const bool several = report.sections.size() > 1;
  if (several) write_overview(html, report);
  for (size_t i = 0; i < report.sections.size(); ++i) write_section(html, report.sections[i], i, several);
  html << "<footer>Made by sinew " << SINEW_VERSION << "</footer></main></body></html>\n";
  return html.str();
}

}  // namespace sinew
