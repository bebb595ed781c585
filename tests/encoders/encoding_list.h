// The specs that tests of all position encodings run through.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tests/encoders/encoding_run.h"

namespace dietmt::encoders {

/// A spec, the number of its parameters for the sizes of encoding_run.h, and where it can be used.
struct Encoding {
  std::string spec;
  int64_t parameters;
  bool encoder = true;
  bool decoder = true;
};

inline void PrintTo(const Encoding& encoding, std::ostream* out) { *out << encoding.spec; }

constexpr int64_t kOffsets = 2 * kMaxPositions - 1;
constexpr int64_t kTupe = kMaxPositions * kWidth + 2 * kWidth + 2 * kWidth * kWidth;
constexpr int64_t kSummary = 2 * kWidth;  // of encoders

inline const std::vector<Encoding> kEncodings = {
    {"none", 0},
    {"sinusoidal", 0},
    {"sinusoidal(layout=halves)", 0},
    {"sinusoidal(layout=halves-2m)", 0},
    {"learned", kMaxPositions* kWidth},
    {"learnable-sinusoidal", kWidth / 2},
    {"input-segments", kSegmentKinds* kWidth},
    {"segments", kLayers* kHeads* kSegmentKinds* kSegmentKinds},
    {"diet-rel(clip=3)+segments(share=layers)",
     kLayers* kHeads * 7 + kHeads* kSegmentKinds* kSegmentKinds},
    {"diet-rel", kLayers* kHeads* kOffsets},
    {"diet-rel(share=layers)", kHeads* kOffsets},
    {"diet-rel(share=heads)", kLayers* kOffsets},
    {"diet-rel(clip=3,share=all)", 2 * 3 + 1},
    {"bert-r", kMaxPositions* kWidth + kHeads* kOffsets},
    {"alibi", 0},
    {"kerple", 2 * kHeads},
    {"kerple(share=none)", 2 * kLayers* kHeads},
    {"fire", 2 + 32 + 32 + 32 * kHeads + kHeads},
    {"fire(hidden=5,threshold=4,share=none)", kLayers*(2 + 5 + 5 + 5 * kHeads + kHeads)},
    {"shaw(clip=2)", kLayers * 2 * (2 * 2 + 1) * kHeadWidth},
    {"shaw(clip=16,values=false,share=none)", kLayers* kHeads*(2 * 16 + 1) * kHeadWidth},
    {"shaw(clip=5,tied=true,share=layers)", kHeads*(2 * 5 + 1) * kHeadWidth},
    {"relative-sinusoidal(clip=9)", 0},
    {"relative-sinusoidal(clip=9,values=false,origin=left)", 0},
    {"learnable-sinusoidal+relative-sinusoidal(learned=true)", kWidth / 2 + kHeadWidth / 2},
    {"relative-key", kLayers* kOffsets* kHeadWidth},
    {"relative-key-query(clip=6,share=none)", kLayers* kHeads * 13 * kHeadWidth},
    {"deberta(span=7)", 2 * 7 * kWidth + 2 * kLayers* kWidth* kWidth},
    {"transformer-xl", 2 * kWidth + kLayers* kWidth* kWidth},
    {"t5", kHeads * 32},
    {"t5(buckets=8,distance=20,scaled=false,share=none)", kLayers* kHeads * 8},
    {"tupe-a", kTupe + kSummary},
    {"tupe-a(cls=tied,projection-bias=true)", kTupe + 2 * kWidth},
    {"tupe-r", kTupe + kSummary + kHeads * 33},
    {"tupe-r(cls=tied,buckets=8,distance=10)", kTupe + kHeads * 8},
    {"tupe-r(buckets=none)", kTupe + kSummary + kHeads* kOffsets},
    {"bert-a-d", kMaxPositions* kWidth + 2 * kWidth* kWidth},
    {"diet-abs", 2 * kLayers* kHeads* kMaxPositions* kHeadWidth},
    {"diet-abs(rank=3,share=layers)", 2 * kHeads* kMaxPositions * 3},
    {"diet-abs(rank=5,share=heads)", 2 * kLayers* kMaxPositions * 5},
    {"linformer(length=6)", 2 * kLayers * 6 * kMaxPositions, true, false},
    {"learned+linformer(length=3,tied=true,share=all)", kMaxPositions* kWidth + 3 * kMaxPositions,
     true, false},
    {"diet-abs-lin(length=5,rank=3)",
     2 * kLayers * 5 * kMaxPositions + kLayers* kHeads * 3 * (kMaxPositions + 5), true, false},
    {"rope", 0},
    {"rope(pairs=halves,base=100)", 0},
    {"xpos(scale=40)", 0, false, true},
    {"cope(positions=5)", kLayers * 5 * kHeadWidth, false, true},
    {"learned+diet-rel", kMaxPositions* kWidth + kLayers* kHeads* kOffsets},
    {"heads[diet-rel(clip=6):0-1,shaw(clip=2):2,none:3]",
     kLayers * 2 * (2 * 6 + 1) + kLayers * 2 * (2 * 2 + 1) * kHeadWidth},
    {"heads[shaw(clip=1,share=none):1,3,t5(scaled=false):0,2]",
     kLayers * 2 * 2 * (2 * 1 + 1) * kHeadWidth + 2 * 32},
    {"heads[rope:0,rope(pairs=halves):1,alibi:2,bert-a-d:3]",
     kMaxPositions* kWidth + 2 * kWidth* kHeadWidth},
    {"heads[diet-abs(rank=3):0,diet-abs(rank=2,share=layers):3,transformer-xl:1,deberta(span=4):2]",
     2 * kLayers* kMaxPositions * 3 + 2 * kMaxPositions * 2 +
         (2 * kHeadWidth + kLayers * kWidth * kHeadWidth) +
         (2 * 4 * kWidth + 2 * kLayers * kWidth * kHeadWidth)},
    {"heads[cope(positions=4):0,cope(positions=7):2,xpos:1,3]", kLayers*(4 + 7) * kHeadWidth, false,
     true},
};

}  // namespace dietmt::encoders
