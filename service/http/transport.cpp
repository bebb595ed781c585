#include "service/http/transport.h"

#include <sys/socket.h>

#include <cerrno>

namespace dietmt::service {
namespace {

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(FileDescriptor socket) : socket_(std::move(socket)) {}

  IoResult handshake() override { return {IoResult::State::kMoved}; }

  IoResult read(char* to, size_t count) override {
    return result(::recv(socket_.number(), to, count, 0), IoResult::State::kWantsRead);
  }

  IoResult write(const char* from, size_t count) override {
    return result(::send(socket_.number(), from, count, MSG_NOSIGNAL),
                  IoResult::State::kWantsWrite);
  }

  void finish() override { ::shutdown(socket_.number(), SHUT_WR); }

  int socket() const override { return socket_.number(); }

 private:
  static IoResult result(ssize_t n, IoResult::State if_not_ready) {
    if (n > 0) return {IoResult::State::kMoved, static_cast<size_t>(n)};
    const bool not_ready = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    return {not_ready ? if_not_ready : IoResult::State::kClosed};
  }

  FileDescriptor socket_;
};

}  // namespace

std::unique_ptr<Transport> plain_transport(FileDescriptor socket) {
  return std::make_unique<PlainTransport>(std::move(socket));
}

}  // namespace dietmt::service
