#include "record/cell_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "record/xml.h"

namespace sinew {
namespace {

CellMap small_map() {
  CellMap map;
  map.title = "gains <k>";
  map.columns = {"300", "1000", "2000"};
  map.rows = {"0.005", "0.5"};
  map.share = {{0, 0.5, 1}, {1, 1, NAN}};
  map.text = {{"0 of 4", "2 of 4", "4 of 4"}, {"4 of 4", "4 of 4", ""}};
  return map;
}

size_t times(const std::string& text, const std::string& word) {
  size_t n = 0;
  for (size_t i = text.find(word); i != std::string::npos; i = text.find(word, i + 1)) ++n;
  return n;
}

TEST(CellMap, HasACellForEachPairInTheColourOfItsShare) {
  const std::string svg = svg_map(small_map());
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(times(svg, "rgb(142,203,158)"), 3U);  // all
  EXPECT_EQ(times(svg, "rgb(246,220,140)"), 1U);  // half
  EXPECT_EQ(times(svg, "rgb(236,150,132)"), 1U);  // none
  EXPECT_EQ(times(svg, "4 of 4"), 3U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("<k>"), std::string::npos);
}

TEST(CellMap, AFrameIsDrawnWhereThereIsOne) {
  CellMap map = small_map();
  const size_t without = times(svg_map(map), "stroke-width='2'");
  map.frame = "the paper's range";
  map.last_row = map.last_column = 1;
  EXPECT_GT(times(svg_map(map), "stroke-width='2'"), without);
  EXPECT_NE(svg_map(map).find("the paper&#39;s range"), std::string::npos);
}

}  // namespace
}  // namespace sinew
