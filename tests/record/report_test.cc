#include "record/report.h"

#include <gtest/gtest.h>

#include "record/plot.h"

namespace sinew {
namespace {

ReportSection section(const std::string& title) {
  ReportSection out;
  out.title = title;
  out.figures = {{"foot slide", "1.4 cm/s", ReportFigure::Mark::kGood}};
  out.notes = {"the floor <lies> at 0 & stays"};
  out.strip_png = encode_png(Image(8, 8, {1, 2, 3}));
  out.plots = {svg_plot(Plot{})};
  out.files = {{"motion.bvh", "the motion"}};
  out.command = "sinew retarget 'a & b'";
  return out;
}

size_t count(const std::string& text, const std::string& word) {
  size_t n = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

TEST(Report, NeedsNothingFromOutside) {
  std::string html = html_report({"walk", "a walk", {section("walk on human50")}});
  // The name of SVG's namespace is no address that is fetched.
  const std::string name = "http://www.w3.org/2000/svg";
  for (size_t at = html.find(name); at != std::string::npos; at = html.find(name))
    html.erase(at, name.size());
  EXPECT_EQ(html.find("http"), std::string::npos);
  EXPECT_EQ(html.find("url("), std::string::npos);
  EXPECT_EQ(html.find("<link"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(count(html, "src="), 1U);
  EXPECT_EQ(count(html, "src='data:image/png;base64,"), 1U);
}

TEST(Report, SaysEverythingAndEscapesIt) {
  const std::string html = html_report({"walk", "", {section("walk on human50")}});
  for (const char* text : {"1.4 cm/s", "foot slide", "the floor &lt;lies&gt; at 0 &amp; stays",
                           "sinew retarget &#39;a &amp; b&#39;", "href='motion.bvh'", "<svg"})
    EXPECT_NE(html.find(text), std::string::npos) << text;
}

TEST(Report, SeveralSectionsBeginWithATableOfLinks) {
  const std::string one = html_report({"walk", "", {section("a")}});
  const std::string three = html_report({"demo", "", {section("a"), section("b"), section("c")}});
  EXPECT_EQ(one.find("<table"), std::string::npos);
  for (const char* link : {"href='#s0'", "href='#s1'", "href='#s2'", "id='s2'"})
    EXPECT_NE(three.find(link), std::string::npos) << link;
  EXPECT_EQ(count(three, "<section"), 3U);
}

TEST(Base64, IsAsInRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A");
}

}  // namespace
}  // namespace sinew
