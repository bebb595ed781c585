// The right to have a document in memory, which takes many times its bytes.
#pragma once

#include <optional>

#include "common/interruption.h"
#include "common/memory_use.h"
#include "service/documents/kinds/open_document.h"
#include "service/scheduling/turns.h"

namespace dietmt::service {

/// While it lasts, documents that this thread reads or writes end with DeadlineExceeded or
/// ClientGone. At its end, memory goes back to the system. `patience` must outlive it.
class DocumentTurn {
 public:
  /// Large documents wait for their turn. Throws DeadlineExceeded and ClientGone.
  DocumentTurn(Turns& turns, DocumentKind kind, size_t bytes, const Patience& patience)
      : is_large_(!stays_small(kind, bytes)), interruption_([&patience] { patience.check(); }) {
    if (is_large_) turn_.emplace(turns.take(bytes, patience));
  }

 private:
  const bool is_large_;
  std::optional<Turns::Turn> turn_;
  const FreeMemoryReturner returner_{is_large_};
  const Interruption interruption_;
};

}  // namespace dietmt::service
