#include "reporting/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "reporting/report_chart.h"

namespace dietmt::reporting {
namespace {

constexpr int kShades = 20;  // of either colour

double mean_of_block(const HeatMap& map, size_t row, size_t end_row, size_t column,
                     size_t end_column) {
  double sum = 0;
  size_t count = 0;
  for (size_t r = row; r < end_row; ++r) {
    for (size_t c = column; c < end_column; ++c) {
      const double value = map.values[r * map.columns + c];
      if (!std::isfinite(value)) continue;
      sum += value;
      ++count;
    }
  }
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

// -kShades .. kShades; 0: nothing to draw.
int shade(double value, double full_scale) {
  if (!std::isfinite(value) || full_scale == 0) return 0;
  const double share = std::clamp(value / full_scale, -1.0, 1.0);
  return static_cast<int>(std::lround(share * kShades));
}

}  // namespace

HeatMap reduced(const HeatMap& map, size_t side) {
  HeatMap small{
      map.title, std::min(map.rows, side), std::min(map.columns, side), {}, map.full_scale};
  for (size_t r = 0; r < small.rows; ++r) {
    for (size_t c = 0; c < small.columns; ++c) {
      small.values.push_back(
          mean_of_block(map, r * map.rows / small.rows, (r + 1) * map.rows / small.rows,
                        c * map.columns / small.columns, (c + 1) * map.columns / small.columns));
    }
  }
  return small;
}

std::string svg_heat_map(const HeatMap& map) {
  if (map.values.empty()) return "";
  double full_scale = map.full_scale;
  for (const double value : map.values) {
    if (map.full_scale == 0 && std::isfinite(value))
      full_scale = std::max(full_scale, std::abs(value));
  }
  std::map<int, std::string> paths;  // by shade: runs of cells, drawn as lines of width one
  for (size_t r = 0; r < map.rows; ++r) {
    for (size_t c = 0; c < map.columns;) {
      const auto shade_at = [&](size_t column) {
        return shade(map.values[r * map.columns + column], full_scale);
      };
      const size_t begin = c;
      while (c < map.columns && shade_at(c) == shade_at(begin)) ++c;
      if (const int here = shade_at(begin); here != 0)
        paths[here] += fmt::format("M{} {}.5h{}", begin, r, c - begin);
    }
  }
  std::string svg =
      fmt::format("<svg class='heat' viewBox='0 0 {} {}' role='img' aria-label='{}'>\n",
                  map.columns, map.rows, html_escaped(map.title));
  for (const auto& [here, path] : paths) {
    svg +=
        fmt::format("<path class='{}' stroke-opacity='{:.2g}' d='{}'/>\n", here > 0 ? "up" : "down",
                    std::abs(here) / static_cast<double>(kShades), path);
  }
  return svg + "</svg>\n";
}

}  // namespace dietmt::reporting
