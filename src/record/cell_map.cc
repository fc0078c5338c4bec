#include "record/cell_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "record/plot.h"

namespace sinew {

namespace {

constexpr double kLeft = 76, kTop = 58, kCell = 74, kLine = 34, kRight = 20, kBottom = 74;  // px
constexpr double kLeastWidth = 560;

// From red over yellow to green, all of them light.
std::string colour_of(double share) {
  if (!std::isfinite(share)) return "var(--plot-grid,#e3e7ec)";
  const std::array<std::array<double, 3>, 3> stops = {{{236, 150, 132}, {246, 220, 140}, {142, 203, 158}}};
  const double at = 2 * std::clamp(share, 0.0, 1.0);
  const size_t i = at < 1 ? 0 : 1;
  std::string text = "rgb(";
  for (size_t k = 0; k < 3; ++k) {
    const double value = stops[i][k] + (at - static_cast<double>(i)) * (stops[i + 1][k] - stops[i][k]);
    text += (k > 0 ? "," : "") + std::to_string(std::lround(value));
  }
  return text + ")";
}

struct Grid {
  size_t rows, columns;
  double x(size_t column) const { return kLeft + kCell * static_cast<double>(column); }
  double y(size_t row) const { return kTop + kLine * static_cast<double>(rows - 1 - row); }
  double bottom() const { return kTop + kLine * static_cast<double>(rows); }
  double width() const {
    return std::max(kLeft + kCell * static_cast<double>(columns) + kRight, kLeastWidth);
  }
};

void draw_cells(std::ostream& svg, const CellMap& map, const Grid& grid) {
  for (size_t r = 0; r < grid.rows; ++r)
    for (size_t c = 0; c < grid.columns; ++c)
      svg << "<rect x='" << grid.x(c) + 1 << "' y='" << grid.y(r) + 1 << "' width='" << kCell - 2
          << "' height='" << kLine - 2 << "' rx='3' fill='" << colour_of(map.share[r][c]) << "'/><text x='"
          << grid.x(c) + kCell / 2 << "' y='" << grid.y(r) + kLine / 2 + 4
          << "' text-anchor='middle' fill='#262c36'>" << escape_xml(map.text[r][c]) << "</text>";
}

void draw_axes(std::ostream& svg, const CellMap& map, const Grid& grid) {
  for (size_t r = 0; r < grid.rows; ++r)
    svg << "<text x='" << kLeft - 8 << "' y='" << grid.y(r) + kLine / 2 + 4 << "' text-anchor='end'>"
        << escape_xml(map.rows[r]) << "</text>";
  for (size_t c = 0; c < grid.columns; ++c)
    svg << "<text x='" << grid.x(c) + kCell / 2 << "' y='" << grid.bottom() + 16 << "' text-anchor='middle'>"
        << escape_xml(map.columns[c]) << "</text>";
  svg << "<text x='" << kLeft + kCell * static_cast<double>(grid.columns) / 2 << "' y='" << grid.bottom() + 34
      << "' text-anchor='middle' fill='var(--plot-soft,#687280)'>" << escape_xml(map.x_label)
      << "</text><text transform='translate(18 " << 0.5 * (kTop + grid.bottom())
      << ") rotate(-90)' text-anchor='middle' fill='var(--plot-soft,#687280)'>" << escape_xml(map.y_label)
      << "</text>";
}

void draw_frame(std::ostream& svg, const CellMap& map, const Grid& grid) {
  if (map.frame.empty()) return;
  svg << "<rect x='" << grid.x(map.first_column) << "' y='" << grid.y(map.last_row) << "' width='"
      << kCell * static_cast<double>(map.last_column - map.first_column + 1) << "' height='"
      << kLine * static_cast<double>(map.last_row - map.first_row + 1)
      << "' fill='none' stroke='var(--plot-ink,#262c36)' stroke-width='2' rx='4'/><path d='M" << kLeft
      << " 38h16' stroke='var(--plot-ink,#262c36)' stroke-width='2'/><text x='" << kLeft + 22 << "' y='42'>"
      << escape_xml(map.frame) << "</text>";
}

}  // namespace

std::string svg_map(const CellMap& map) {
  const Grid grid{map.rows.size(), map.columns.size()};
  const double height = grid.bottom() + kBottom;
  std::ostringstream svg;
  svg << "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 " << grid.width() << ' ' << height
      << "' width='" << grid.width() << "' height='" << height
      << "' role='img' font-family='Inter,system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif' "
         "font-size='11' fill='var(--plot-ink,#262c36)'><title>"
      << escape_xml(map.title) << "</title><rect width='100%' height='100%' fill='var(--plot-paper,#fff)'/>"
      << "<text x='16' y='19' font-size='13' font-weight='600'>" << escape_xml(map.title) << "</text>";
  draw_cells(svg, map, grid);
  draw_axes(svg, map, grid);
  draw_frame(svg, map, grid);
  svg << "<text x='16' y='" << grid.bottom() + 60 << "' font-size='10' fill='var(--plot-soft,#687280)'>"
      << escape_xml(map.caption) << "</text></svg>";
  return svg.str();
}

}  // namespace sinew
