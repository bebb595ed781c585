#include "reporting/report_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>

namespace dietmt::reporting {
namespace {

// The drawing's size and the plot's rectangle in it, in SVG units.
constexpr double kWidth = 460, kHeight = 270;
constexpr double kLeft = 62, kRight = kWidth - 22, kTop = 44, kBottom = kHeight - 42;
constexpr double kReadoutLeft = 16;              // as much room as a small screen needs
constexpr double kRow = 16, kLetter = 6.5;       // height and width of text
constexpr double kLegendY = 12, kReadoutY = 34;  // of their last rows; earlier ones are above
constexpr size_t kMaxPoints = 200;

// Maps values to positions: `low` to `from`, `high` to `to`.
struct Axis {
  std::vector<double> ticks;
  double from = 0;
  double to = 1;

  double operator()(double value) const {
    const double low = ticks.front();
    return from + (value - low) / (ticks.back() - low) * (to - from);
  }
};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

// A part of the drawing whose text may need several rows.
struct Rows {
  std::string svg;
  size_t count = 1;
};

// The row of each item; those of a row fit into `room`.
std::vector<size_t> rows_of(const std::vector<double>& widths, double room) {
  std::vector<size_t> rows;
  double used = 0;
  size_t row = 0;
  for (const double width : widths) {
    if (used > 0 && used + width > room) {
      ++row;
      used = 0;
    }
    used += width;
    rows.push_back(row);
  }
  return rows;
}

constexpr size_t kColours = 4, kDashes = 4;  // of the style sheet

std::string colour_class(size_t index) { return fmt::format("s{}", index % kColours); }

std::string line_classes(size_t index) {
  const size_t dashes = index / kColours % kDashes;
  return colour_class(index) + (dashes > 0 ? fmt::format(" d{}", dashes) : "");
}

bool is_finite(const Point& point) { return std::isfinite(point.x) && std::isfinite(point.y); }

// Drops points that cannot be drawn and thins long series, but keeps the best point.
Series drawable(const Series& series) {
  std::vector<Point> finite;
  std::ranges::copy_if(series.points, std::back_inserter(finite), is_finite);
  Series result{series.name, thinned(finite, kMaxPoints), -1};
  if (series.best < 0) return result;
  const Point& best = series.points[static_cast<size_t>(series.best)];
  if (!is_finite(best)) return result;
  const auto nearest = std::ranges::min_element(
      result.points, {}, [&](const Point& point) { return std::abs(point.x - best.x); });
  *nearest = best;
  result.best = static_cast<int>(nearest - result.points.begin());
  return result;
}

std::string x_text(const Chart& chart, double x) {
  if (chart.x_names.empty()) return short_number(x);
  return chart.x_names[static_cast<size_t>(x)];
}

// Names are drawn at every n-th tick if there is no room for all.
size_t ticks_per_name(const Chart& chart) {
  size_t longest = 0;
  for (const std::string& name : chart.x_names) longest = std::max(longest, name.size());
  const double width = kLetter * static_cast<double>(longest * chart.x_names.size());
  return 1 + static_cast<size_t>(width / (kRight - kLeft));
}

std::string axes(const Chart& chart, const Axis& x, const Axis& y) {
  std::string svg;
  const size_t step = ticks_per_name(chart);
  for (const double tick : y.ticks) {
    svg += fmt::format(
        "<line class='grid' x1='{:.0f}' x2='{:.0f}' y1='{:.1f}' y2='{:.1f}'/>"
        "<text class='tick' text-anchor='end' x='{:.0f}' y='{:.1f}'>{}</text>\n",
        kLeft, kRight, y(tick), y(tick), kLeft - 6, y(tick) + 4, short_number(tick));
  }
  for (size_t i = 0; i < x.ticks.size(); ++i) {
    const double tick = x.ticks[i];
    svg += fmt::format(
        "<line class='axis' x1='{0:.1f}' x2='{0:.1f}' y1='{1:.0f}' y2='{2:.0f}'/>"
        "<text class='tick' text-anchor='middle' x='{0:.1f}' y='{3:.0f}'>{4}</text>\n",
        x(tick), kBottom, kBottom + 4, kBottom + 18,
        i % step == 0 ? html_escaped(x_text(chart, tick)) : "");
  }
  svg += fmt::format("<line class='axis' x1='{:.0f}' x2='{:.0f}' y1='{:.0f}' y2='{:.0f}'/>\n",
                     kLeft, kRight, kBottom, kBottom);
  svg += fmt::format("<text class='label' text-anchor='middle' x='{:.0f}' y='{:.0f}'>{}</text>\n",
                     (kLeft + kRight) / 2, kHeight - 6, html_escaped(chart.x_label));
  svg += fmt::format(
      "<text class='label' text-anchor='middle' transform='translate(12 {:.0f}) "
      "rotate(-90)'>{}</text>\n",
      (kTop + kBottom) / 2, html_escaped(chart.y_label));
  return svg;
}

// Names the curves; a chart of one curve has its name in the title. `y`: of the last row.
Rows legend(const std::vector<Series>& series, double y) {
  if (series.size() == 1 && series.front().best < 0) return {};
  std::vector<double> widths;
  for (const Series& one : series)
    widths.push_back(40 + kLetter * static_cast<double>(one.name.size()));
  const bool has_best =
      std::ranges::any_of(series, [](const Series& one) { return one.best >= 0; });
  if (has_best) widths.push_back(40);
  const std::vector<size_t> rows = rows_of(widths, kWidth - kLeft);
  Rows drawn{"", rows.back() + 1};
  y -= kRow * static_cast<double>(rows.back());
  double x = kLeft;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (i > 0 && rows[i] > rows[i - 1]) {
      x = kLeft;
      y += kRow;
    }
    if (i < series.size())
      drawn.svg += fmt::format(
          "<line class='line {0}' x1='{1:.0f}' x2='{2:.0f}' y1='{3:.0f}' y2='{3:.0f}'/>"
          "<text class='legend' x='{4:.0f}' y='{5:.0f}'>{6}</text>\n",
          line_classes(i), x, x + 18, y, x + 24, y + 4, html_escaped(series[i].name));
    else
      drawn.svg += fmt::format(
          "<circle class='mark axis' cx='{:.0f}' cy='{:.0f}' r='4'/>"
          "<text class='legend' x='{:.0f}' y='{:.0f}'>best</text>\n",
          x + 5, y, x + 14, y + 4);
    x += widths[i];
  }
  return drawn;
}

std::string curve(const Series& series, size_t index, const Axis& x, const Axis& y) {
  std::string path;
  for (const Point& point : series.points) {
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(point.x), y(point.y));
  }
  std::string svg = fmt::format("<path class='line {}' d='{}'/>\n", line_classes(index), path);
  if (series.points.size() == 1 || series.best >= 0) {
    const Point& mark = series.points[static_cast<size_t>(std::max(series.best, 0))];
    svg += fmt::format("<circle class='mark {}' cx='{:.1f}' cy='{:.1f}' r='4'/>\n",
                       colour_class(index), x(mark.x), y(mark.y));
  }
  return svg;
}

// The values at one x. The last row is at kReadoutY.
Rows readout(const std::vector<std::string>& parts) {
  std::vector<double> widths;
  for (const std::string& part : parts)
    widths.push_back(kLetter * static_cast<double>(part.size() + 3));
  const std::vector<size_t> rows = rows_of(widths, kWidth - kReadoutLeft);
  std::vector<std::string> lines(rows.back() + 1);
  for (size_t i = 0; i < parts.size(); ++i)
    lines[rows[i]] += (lines[rows[i]].empty() ? "" : " · ") + html_escaped(parts[i]);
  Rows drawn{"", lines.size()};
  for (size_t row = 0; row < lines.size(); ++row)
    drawn.svg +=
        fmt::format("<text class='readout' x='{:.0f}' y='{:.0f}'>{}</text>", kReadoutLeft,
                    kReadoutY - kRow * static_cast<double>(lines.size() - 1 - row), lines[row]);
  return drawn;
}

// For each x a strip over the plot's height; hovering it shows the values there.
Rows hover_strips(const Chart& chart, const std::vector<Series>& series, const Axis& x,
                  const Axis& y) {
  std::map<double, std::vector<std::pair<size_t, double>>> values;  // x -> (series, y)
  for (size_t i = 0; i < series.size(); ++i) {
    for (const Point& point : series[i].points) values[point.x].emplace_back(i, point.y);
  }
  Rows drawn;
  for (auto here = values.begin(); here != values.end(); ++here) {
    const double position = x(here->first);
    const double begin =
        here == values.begin() ? kLeft : (x(std::prev(here)->first) + position) / 2;
    const double end =
        std::next(here) == values.end() ? kRight : (x(std::next(here)->first) + position) / 2;
    std::vector<std::string> parts = {chart.x_label + ' ' +
                                      (chart.x_names.empty()
                                           ? std::to_string(std::llround(here->first))
                                           : x_text(chart, here->first))};
    std::string dots;
    for (const auto& [index, value] : here->second) {
      parts.push_back(fmt::format("{} {:.5g}", series[index].name, value));
      dots += fmt::format("<circle class='dot {}' cx='{:.1f}' cy='{:.1f}' r='3'/>",
                          colour_class(index), position, y(value));
    }
    const Rows text = readout(parts);
    drawn.svg += fmt::format(
        "<g class='strip'><rect x='{:.1f}' y='{:.0f}' width='{:.1f}' height='{:.0f}'/>"
        "<g><line x1='{:.1f}' x2='{:.1f}' y1='{:.0f}' y2='{:.0f}'/>{}{}</g></g>\n",
        begin, kTop, std::max(end - begin, 0.5), kBottom - kTop, position, position, kTop, kBottom,
        dots, text.svg);
    drawn.count = std::max(drawn.count, text.count);
  }
  return drawn;
}

// One tick for each name.
std::vector<double> x_ticks(const Chart& chart, const Range& range) {
  if (chart.x_names.empty()) return axis_ticks(range.low, range.high, 5);
  std::vector<double> ticks(chart.x_names.size());
  std::iota(ticks.begin(), ticks.end(), 0.0);
  return ticks;
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string short_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (size >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  if (size > 0 && size < 0.01) {
    // The small offset keeps exact powers of ten on their own side of a rounding error.
    const int exponent = static_cast<int>(std::floor(std::log10(size) + 1e-9));
    return fmt::format("{:.4g}e{}", value / std::pow(10.0, exponent), exponent);
  }
  return fmt::format("{:.5g}", value);
}

std::vector<double> axis_ticks(double low, double high, int count) {
  // Below that, doubles cannot count the steps.
  const double least = 1e-300 + 1e-9 * std::max(std::abs(low), std::abs(high));
  if (!(high - low > least)) {
    const double room = low == 0 ? 1 : std::abs(low) * 0.1;
    low -= room;
    high += room;
  }
  const double raw = (high - low) / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double multiple : {1.0, 2.0, 2.5, 5.0}) {
    if (multiple * power >= raw * (1 - 1e-9)) {
      step = multiple * power;
      break;
    }
  }
  std::vector<double> ticks;
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  for (double i = first; i <= last; ++i) ticks.push_back(i * step);
  return ticks;
}

std::vector<Point> thinned(const std::vector<Point>& points, size_t count) {
  if (points.size() <= count) return points;
  std::vector<Point> means;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = i * points.size() / count;
    const size_t end = (i + 1) * points.size() / count;
    double sum = 0;
    for (size_t j = begin; j < end; ++j) sum += points[j].y;
    means.push_back({points[end - 1].x, sum / static_cast<double>(end - begin)});
  }
  return means;
}

std::string svg_chart(const Chart& chart) {
  std::vector<Series> series;
  Range x_range, y_range;
  for (const Series& given : chart.series) {
    Series drawn = drawable(given);
    if (drawn.points.empty()) continue;
    for (const Point& point : drawn.points) {
      x_range.include(point.x);
      y_range.include(point.y);
    }
    series.push_back(std::move(drawn));
  }
  if (series.empty() || chart.x_names.size() == 1) return "";
  if (chart.from_zero) y_range.include(0);
  x_range.include(0);
  const Axis x{x_ticks(chart, x_range), kLeft, kRight};
  const Axis y{axis_ticks(y_range.low, y_range.high, 5), kBottom, kTop};
  const Rows strips = hover_strips(chart, series, x, y);
  const double readout_rows = kRow * static_cast<double>(strips.count - 1);
  const Rows names = legend(series, kLegendY - readout_rows);
  const double above = readout_rows + kRow * static_cast<double>(names.count - 1);
  std::string svg =
      fmt::format("<svg viewBox='0 {:.0f} {:.0f} {:.0f}' role='img' aria-label='{}'>\n", 0 - above,
                  kWidth, kHeight + above, html_escaped(chart.title));
  svg += axes(chart, x, y) + names.svg;
  for (size_t i = 0; i < series.size(); ++i) svg += curve(series[i], i, x, y);
  return svg + strips.svg + "</svg>\n";
}

}  // namespace dietmt::reporting
