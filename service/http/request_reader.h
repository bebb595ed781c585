// Reads requests from the bytes of a connection, however they are cut.
//
//   RequestReader reader(limits, budget);
//   while (!bytes.empty()) {
//     bytes.remove_prefix(reader.feed(bytes));
//     if (reader.stage() == RequestReader::Stage::kComplete) serve(reader.take());
//   }
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "service/http/chunked_decoder.h"
#include "service/http/request_head.h"
#include "service/http/spooled_bytes.h"

namespace dietmt::service {

struct ReadLimits {
  size_t head = 0;
  uint64_t body = 0;
  std::map<std::string, uint64_t> body_below = {};
};

/// A request that has arrived as a whole.
struct CompleteRequest {
  RequestHead head;
  std::unique_ptr<SpooledBytes> body;
};

class RequestReader {
 public:
  enum class Stage { kEmpty, kHead, kBody, kComplete };

  /// Both outlive the reader.
  RequestReader(const ReadLimits& limits, SpoolBudget& budget) : limits_(limits), budget_(budget) {}

  /// Consumes bytes up to the end of the request and returns how many: all of them unless it is
  /// complete. Throws RequestFault, after which the connection can only be answered and closed.
  size_t feed(std::string_view bytes);

  Stage stage() const { return stage_; }

  /// True once, if the client waits for `100 Continue` before it sends the body.
  bool take_continue();

  /// Of the page whose request has begun; empty where none is named, or not yet.
  std::string origin() const;

  /// The complete request; the reader begins the next one.
  CompleteRequest take();

 private:
  size_t feed_head(std::string_view bytes);
  size_t feed_body(std::string_view bytes);
  void check_head_so_far() const;
  void begin_body(size_t head_size);

  const ReadLimits& limits_;
  SpoolBudget& budget_;
  Stage stage_ = Stage::kEmpty;
  std::string head_;
  CompleteRequest request_;
  ChunkedDecoder chunks_{0};
  bool owes_continue_ = false;
};

}  // namespace dietmt::service
