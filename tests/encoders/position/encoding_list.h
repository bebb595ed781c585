// The specs that tests of all position encodings use.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/encoders/position/encoding_run.h"

namespace dietmt::encoders {

/// A spec, its number of parameters for the sizes of encoding_run.h, and where it can be used.
struct Encoding {
  std::string spec;
  int64_t parameters;
  bool encoder = true;
  bool decoder = true;
};

inline void PrintTo(const Encoding& encoding, std::ostream* out) { *out << encoding.spec; }

constexpr int64_t kOffsets = 2 * kRunMaxPositions - 1;
constexpr int64_t kTupe = kRunMaxPositions * kRunWidth + 2 * kRunWidth + 2 * kRunWidth * kRunWidth;
constexpr int64_t kSummary = 2 * kRunWidth;  // for encoders

inline const std::vector<Encoding> kEncodings = {
    {"none", 0},
    {"sinusoidal", 0},
    {"sinusoidal(layout=halves)", 0},
    {"sinusoidal(layout=halves-2m)", 0},
    {"sinusoidal(layout=halves,start=2)", 0},
    {"learned", kRunMaxPositions* kRunWidth},
    {"learnable-sinusoidal", kRunWidth / 2},
    {"input-segments", kRunSegmentKinds* kRunWidth},
    {"segments", kRunLayers* kRunHeads* kRunSegmentKinds* kRunSegmentKinds},
    {"diet-rel(clip=3)+segments(share=layers)",
     kRunLayers* kRunHeads * 7 + kRunHeads* kRunSegmentKinds* kRunSegmentKinds},
    {"diet-rel", kRunLayers* kRunHeads* kOffsets},
    {"diet-rel(share=layers)", kRunHeads* kOffsets},
    {"diet-rel(share=heads)", kRunLayers* kOffsets},
    {"diet-rel(clip=3,share=all)", 2 * 3 + 1},
    {"bert-r", kRunMaxPositions* kRunWidth + kRunHeads* kOffsets},
    {"bert-r(buckets=8,distance=20)", kRunMaxPositions* kRunWidth + kRunHeads * 8},
    {"alibi", 0},
    {"kerple", 2 * kRunHeads},
    {"kerple(share=none)", 2 * kRunLayers* kRunHeads},
    {"fire", 2 + 32 + 32 + 32 * kRunHeads + kRunHeads},
    {"fire(hidden=5,threshold=4,share=none)", kRunLayers*(2 + 5 + 5 + 5 * kRunHeads + kRunHeads)},
    {"shaw(clip=2)", kRunLayers * 2 * (2 * 2 + 1) * kRunHeadWidth},
    {"shaw(clip=16,values=false,share=none)", kRunLayers* kRunHeads*(2 * 16 + 1) * kRunHeadWidth},
    {"shaw(clip=5,tied=true,share=layers)", kRunHeads*(2 * 5 + 1) * kRunHeadWidth},
    {"relative-sinusoidal(clip=9)", 0},
    {"relative-sinusoidal(clip=9,values=false,origin=left)", 0},
    {"learnable-sinusoidal+relative-sinusoidal(learned=true)", kRunWidth / 2 + kRunHeadWidth / 2},
    {"relative-key", kRunLayers* kOffsets* kRunHeadWidth},
    {"relative-key-query(clip=6,share=none)", kRunLayers* kRunHeads * 13 * kRunHeadWidth},
    {"deberta(span=7)", 2 * 7 * kRunWidth + 2 * kRunLayers* kRunWidth* kRunWidth},
    {"transformer-xl", 2 * kRunWidth + kRunLayers* kRunWidth* kRunWidth},
    {"t5", kRunHeads * 32},
    {"t5(buckets=8,distance=20,scaled=false,share=none)", kRunLayers* kRunHeads * 8},
    {"tupe-a", kTupe + kSummary},
    {"tupe-a(cls=tied,projection-bias=true)", kTupe + 2 * kRunWidth},
    {"tupe-r", kTupe + kSummary + kRunHeads * 33},
    {"tupe-r(cls=tied,buckets=8,distance=10)", kTupe + kRunHeads * 8},
    {"tupe-r(buckets=none)", kTupe + kSummary + kRunHeads* kOffsets},
    {"bert-a-d", kRunMaxPositions* kRunWidth + 2 * kRunWidth* kRunWidth},
    {"diet-abs", 2 * kRunLayers* kRunHeads* kRunMaxPositions* kRunHeadWidth},
    {"diet-abs(rank=3,share=layers)", 2 * kRunHeads* kRunMaxPositions * 3},
    {"diet-abs(rank=5,share=heads)", 2 * kRunLayers* kRunMaxPositions * 5},
    {"linformer(length=6)", 2 * kRunLayers * 6 * kRunMaxPositions, true, false},
    {"learned+linformer(length=3,tied=true,share=all)",
     kRunMaxPositions* kRunWidth + 3 * kRunMaxPositions, true, false},
    {"diet-abs-lin(length=5,rank=3)",
     2 * kRunLayers * 5 * kRunMaxPositions + kRunLayers* kRunHeads * 3 * (kRunMaxPositions + 5),
     true, false},
    {"rope", 0},
    {"rope(pairs=halves,base=100)", 0},
    {"rope(base=20,factor=4,length=8)", 0},
    {"rope(factor=3,scaling=ntk)", 0},
    {"xpos(scale=40)", 0, false, true},
    {"cope(positions=5)", kRunLayers * 5 * kRunHeadWidth, false, true},
    {"diet-rel(cls=untied)", kRunLayers* kRunHeads*(kOffsets + 2), true, false},
    {"diet-rel(clip=3,share=all,cls=untied)+segments",
     2 * 3 + 1 + 2 + kRunLayers* kRunHeads* kRunSegmentKinds* kRunSegmentKinds, true, false},
    {"t5(cls=untied)", kRunHeads*(32 + 2), true, false},
    {"bert-r(buckets=8,distance=20,cls=untied)", kRunMaxPositions* kRunWidth + kRunHeads*(8 + 2),
     true, false},
    {"alibi(cls=untied)", 2 * kRunHeads, true, false},
    {"fire(hidden=5,share=none,cls=untied)",
     kRunLayers*(2 + 5 + 5 + 5 * kRunHeads + kRunHeads + 2 * kRunHeads), true, false},
    {"diet-abs(rank=5,share=heads,cls=untied)",
     2 * kRunLayers* kRunMaxPositions * 5 + 2 * kRunLayers, true, false},
    {"heads[diet-rel(clip=6,cls=untied):0-1,shaw(clip=2):2,none:3]",
     kRunLayers * 2 * (2 * 6 + 1 + 2) + kRunLayers * 2 * (2 * 2 + 1) * kRunHeadWidth, true, false},
    {"tupe-free", kRunHeads* kRunMaxPositions* kRunMaxPositions},
    {"tupe-free(cls=untied)", kRunHeads*(kRunMaxPositions* kRunMaxPositions + 2), true, false},
    {"tupe-r(cls=tied,buckets=none,factors=true)",
     kTupe + kOffsets* kRunWidth + 2 * kRunWidth* kRunWidth},
    {"tupe-r(cls=untied,buckets=none,factors=true)",
     kTupe + kSummary + kOffsets* kRunWidth + 2 * kRunWidth* kRunWidth, true, false},
    {"learned+diet-rel", kRunMaxPositions* kRunWidth + kRunLayers* kRunHeads* kOffsets},
    {"heads[diet-rel(clip=6):0-1,shaw(clip=2):2,none:3]",
     kRunLayers * 2 * (2 * 6 + 1) + kRunLayers * 2 * (2 * 2 + 1) * kRunHeadWidth},
    {"heads[shaw(clip=1,share=none):1,3,t5(scaled=false):0,2]",
     kRunLayers * 2 * 2 * (2 * 1 + 1) * kRunHeadWidth + 2 * 32},
    {"heads[rope:0,rope(pairs=halves):1,alibi:2,bert-a-d:3]",
     kRunMaxPositions* kRunWidth + 2 * kRunWidth* kRunHeadWidth},
    {"heads[diet-abs(rank=3):0,diet-abs(rank=2,share=layers):3,transformer-xl:1,deberta(span=4):2]",
     2 * kRunLayers* kRunMaxPositions * 3 + 2 * kRunMaxPositions * 2 +
         (2 * kRunHeadWidth + kRunLayers * kRunWidth * kRunHeadWidth) +
         (2 * 4 * kRunWidth + 2 * kRunLayers * kRunWidth * kRunHeadWidth)},
    {"heads[cope(positions=4):0,cope(positions=7):2,xpos:1,3]", kRunLayers*(4 + 7) * kRunHeadWidth,
     false, true},
};

/// Encodings of inputs that start with [CLS].
inline const std::vector<Encoding> kSummaryEncodings = {
    {"shaw(clip=2,cls=untied)", kRunLayers*(2 * (2 * 2 + 1) * kRunHeadWidth + 2), true, false},
    {"shaw(clip=16,values=false,share=none,cls=untied)+segments(share=all)",
     kRunLayers* kRunHeads*((2 * 16 + 1) * kRunHeadWidth + 2) + kRunSegmentKinds* kRunSegmentKinds,
     true, false},
    {"learned+relative-sinusoidal(learned=true,cls=untied)",
     kRunMaxPositions* kRunWidth + kRunHeadWidth / 2 + 2 * kRunHeads, true, false},
    {"relative-key(share=all,cls=untied)", kOffsets* kRunHeadWidth + 2, true, false},
    {"relative-key-query(clip=6,share=none,cls=untied)",
     kRunLayers* kRunHeads*(13 * kRunHeadWidth + 2), true, false},
    {"deberta(span=7,cls=untied)",
     2 * 7 * kRunWidth + 2 * kRunLayers* kRunWidth* kRunWidth + 2 * kRunHeads, true, false},
    {"transformer-xl(cls=untied)", 2 * kRunWidth + kRunLayers* kRunWidth* kRunWidth + 2 * kRunHeads,
     true, false},
    {"heads[shaw(clip=3,cls=untied):0,relative-key-query(clip=4):1,diet-rel(clip=6,cls=untied):2,"
     "rope:3]",
     kRunLayers*(2 * 7 * kRunHeadWidth + 2) + kRunLayers * 9 * kRunHeadWidth +
         kRunLayers*(2 * 6 + 1 + 2),
     true, false},
};

/// Encodings of models with [CLS].
inline std::vector<Encoding> encodings_with_summary() {
  std::vector<Encoding> all = kEncodings;
  all.insert(all.end(), kSummaryEncodings.begin(), kSummaryEncodings.end());
  return all;
}

}  // namespace dietmt::encoders
