#include "training/distributed/process_group.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include "common/error.h"
#include "common/exit_kinds.h"
#include "tests/training/distributed/ranks.h"
#include "training/processes/process_place.h"

namespace dietmt::training {
namespace {

using at::Tensor;

TEST(ProcessGroup, SumsBroadcastsAndGathers) {
  run_ranks(3, [](ProcessGroup& group) {
    const auto rank = static_cast<float>(group.rank());
    const Tensor sum = at::full({5}, rank + 1);
    group.sum(sum);
    EXPECT_TRUE(at::equal(sum, at::full({5}, 6.0F)));

    EXPECT_EQ(group.broadcast(group.is_first() ? std::string("one\0two", 7) : "x"),
              std::string("one\0two", 7));
    EXPECT_EQ(group.broadcast(std::string(group.is_first() ? "" : "x")), "");

    const Tensor parts = at::full({6}, -1.0F);
    parts.narrow(0, 2 * group.rank(), 2).fill_(rank);
    group.share_parts(parts);
    EXPECT_TRUE(at::equal(parts, at::tensor({0.0F, 0.0F, 1.0F, 1.0F, 2.0F, 2.0F})));

    const Tensor all = group.gather(at::full({2}, rank));
    EXPECT_EQ(all.defined(), group.is_first());
    if (all.defined()) {
      EXPECT_TRUE(at::equal(all, parts));
    }
  });
}

TEST(ProcessGroup, OneThatCannotTrainIsNamedByTheFirst) {
  const RendezvousStore rendezvous;
  std::vector<std::string> messages(3);
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      std::string& message = messages[static_cast<size_t>(rank)];
      try {
        const ProcessGroup group(place_of(rank, 3, rendezvous), at::kCPU,
                                 rank == 1 ? "it has no GPU" : "");
        message = "met";
      } catch (const ConfigError& error) {
        message = error.what();
      } catch (const FirstProcessFailed&) {
        message = "silent";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(messages[0], testing::StartsWith("rank 1 on "));
  EXPECT_THAT(messages[0], testing::EndsWith(" cannot train: it has no GPU"));
  EXPECT_EQ(messages[1], "silent");
  EXPECT_EQ(messages[2], "silent");
}

TEST(ProcessGroup, TheFirstOneTakesItsTurn) {
  int done = 0;
  run_ranks(2, [&](ProcessGroup& group) {
    RankZeroFirst turn(&group);
    if (group.is_first()) {
      ++done;
    } else {
      EXPECT_EQ(done, 1);
    }
    turn.done();
  });
  RankZeroFirst alone(nullptr);
  alone.done();
}

TEST(ProcessGroup, TheOthersEndWhereTheFirstOneFails) {
  int silent = 0;
  EXPECT_THROW(run_ranks(2,
                         [&](ProcessGroup& group) {
                           try {
                             RankZeroFirst turn(&group);
                             throw DataError("file:1: bad");
                           } catch (const FirstProcessFailed&) {
                             ++silent;
                             throw;
                           }
                         }),
               DataError);
  EXPECT_EQ(silent, 1);
}

TEST(ProcessGroup, AnEndedProcessMakesOperationsThrow) {
  EXPECT_THROW(run_ranks(2,
                         [](ProcessGroup& group) {
                           if (!group.is_first()) return;  // while the other one sums
                           group.sum(at::zeros({1}));
                           group.sum(at::zeros({1}));
                         }),
               PeerError);
}

TEST(LocalAddress, OfThisMachine) {
  EXPECT_EQ(address_towards("127.0.0.1"), "127.0.0.1");
  EXPECT_EQ(address_towards("no-such-host.invalid"), "");
}

}  // namespace
}  // namespace dietmt::training
