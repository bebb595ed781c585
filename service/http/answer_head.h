// The bytes of an answer before its body.
#pragma once

#include <string>

#include "service/http/message.h"

namespace dietmt::service {

/// How the client finds the end of the body.
enum class Framing { kNoBody, kLength, kChunked, kUntilClose };

Framing framing_of(const Answer& answer, const RequestHead& request);

/// Status line and header fields, with the empty line.
std::string answer_head(const Answer& answer, Framing framing, bool keep_alive);

/// A whole answer that closes the connection, for a request that was not read to its end.
std::string closing_answer(const Answer& answer);

/// A chunk of a chunked body; an empty one ends the body.
std::string chunk_of(std::string_view piece);

}  // namespace dietmt::service
