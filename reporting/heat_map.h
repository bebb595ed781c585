// Matrices as inline SVG for the pages that dietmt writes. Colours come from the page's style sheet
// by class (report.h): `up` above zero, `down` below, paler towards zero.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dietmt::reporting {

struct HeatMap {
  std::string title;  ///< for screen readers
  size_t rows = 0;
  size_t columns = 0;
  std::vector<double> values;  ///< by rows; infinite and undefined values are left blank
  double full_scale = 0;       ///< the size of a value in full colour; 0: of the largest one
};

/// At most `side` rows and columns: each cell is the mean of the finite values of its block.
HeatMap reduced(const HeatMap& map, size_t side);

/// The drawing, one unit a cell. Empty if there is no cell.
std::string svg_heat_map(const HeatMap& map);

}  // namespace dietmt::reporting
