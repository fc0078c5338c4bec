#pragma once

#include <string>
#include <vector>

namespace sinew {

// A value for each pair of two parameters, as a grid of coloured cells.
struct CellMap {
  std::string title, caption;  // above and below it
  std::string x_label, y_label;
  std::vector<std::string> columns, rows;  // values of the parameters; rows from below
  std::vector<std::vector<double>> share;  // [row][column], 0 red to 1 green; not finite: nothing is known
  std::vector<std::vector<std::string>> text;  // [row][column], in the cell
  // A frame around the cells of these rows and columns, ends included, with its meaning; empty: none.
  std::string frame;
  size_t first_row = 0, last_row = 0, first_column = 0, last_column = 0;
};

// The map as an SVG element, complete in itself, with the colours of svg_plot.
std::string svg_map(const CellMap& map);

}  // namespace sinew
