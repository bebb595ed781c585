#include "service/http/answer_head.h"

#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/serializer.hpp>

namespace dietmt::service {

namespace beast = boost::beast;
namespace http = beast::http;

Framing framing_of(const Answer& answer, const RequestHead& request) {
  if (answer.status == 204 || answer.status == 304) return Framing::kNoBody;
  if (!answer.pieces || answer.length) return Framing::kLength;
  return request.http_1_0 ? Framing::kUntilClose : Framing::kChunked;
}

std::string answer_head(const Answer& answer, Framing framing, bool keep_alive) {
  http::response<http::empty_body> head;
  head.result(static_cast<unsigned>(answer.status));
  if (framing != Framing::kNoBody) head.set(http::field::content_type, answer.type);
  if (framing == Framing::kLength)
    head.set(http::field::content_length,
             std::to_string(answer.length.value_or(answer.body.size())));
  if (framing == Framing::kChunked) head.set(http::field::transfer_encoding, "chunked");
  if (!keep_alive) head.set(http::field::connection, "close");
  for (const auto& [name, value] : answer.headers) head.insert(name, value);
  std::string text;
  http::response_serializer<http::empty_body> serializer(head);
  serializer.split(true);  // Exchange writes the body and its framing
  beast::error_code error;
  while (!serializer.is_header_done()) {
    serializer.next(error, [&](beast::error_code&, const auto& buffers) {
      text += beast::buffers_to_string(buffers);
      serializer.consume(beast::buffer_bytes(buffers));
    });
  }
  return text;
}

std::string closing_answer(const Answer& answer) {
  return answer_head(answer, Framing::kLength, false) + answer.body;
}

std::string chunk_of(std::string_view piece) {
  if (piece.empty()) return beast::buffers_to_string(http::make_chunk_last());
  return beast::buffers_to_string(http::make_chunk(boost::asio::buffer(piece)));
}

}  // namespace dietmt::service
