// Line charts as inline SVG for the training report. Colours come from the page's style sheet by
// class, so that light and dark pages share one drawing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dietmt::reporting {

struct Point {
  double x = 0;
  double y = 0;
};

struct Series {
  std::string name;
  std::vector<Point> points;  ///< by rising x; points that are not finite are left out
  int best = -1;              ///< index of a point to mark
};

struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  bool from_zero = false;                 ///< the y axis starts at 0
  std::vector<std::string> x_names = {};  ///< of x = 0, 1, ...; empty: x is a number
};

/// `text` with & < > " ' written as entities.
std::string html_escaped(std::string_view text);

/// At most five significant digits, short for an axis: "12.5k", "3M", "0.25", "5e-4".
std::string short_number(double value);

/// Round values that span `low` to `high`, about `count` of them, first <= low, last >= high.
std::vector<double> axis_ticks(double low, double high, int count);

/// At most `count` points: the mean of each run of neighbours.
std::vector<Point> thinned(const std::vector<Point>& points, size_t count);

/// The drawing; hovering shows the values at an x. Empty if no series has a point.
std::string svg_chart(const Chart& chart);

}  // namespace dietmt::reporting
