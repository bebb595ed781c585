#include "training/processes/peer_watch.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <future>
#include <thread>

#include "common/exit_kinds.h"

namespace dietmt::training {
namespace {

using namespace std::chrono_literals;

constexpr char kAddress[] = "127.0.0.1";

// A store with one key, as shared by the processes of a training run.
class TestRendezvous {
 public:
  Rendezvous point() {
    return {[this](const std::string& text) { text_.set_value(text); },
            [this] { return future_.get(); }};
  }
  std::string text() { return future_.get(); }

 private:
  std::promise<std::string> text_;
  std::shared_future<std::string> future_ = text_.get_future().share();
};

// Invalid if nobody listens there.
FileDescriptor try_to_connect(const char* host, const std::string& published) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(std::stoi(published)));
  ::inet_pton(AF_INET, host, &address.sin_addr);
  FileDescriptor fd(::socket(AF_INET, SOCK_STREAM, 0));
  if (::connect(fd.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return {};
  return fd;
}

FileDescriptor connect_to_port(const std::string& published) {
  FileDescriptor fd = try_to_connect(kAddress, published);
  EXPECT_TRUE(fd.valid());
  return fd;
}

void send_text(const FileDescriptor& connection, const std::string& text) {
  ::send(connection.number(), text.data(), text.size(), MSG_NOSIGNAL);
}

struct Watched {
  explicit Watched(std::vector<FileDescriptor> connections)
      : watch(std::move(connections), [this] { lost.set_value(); }) {}
  bool is_lost_within(std::chrono::milliseconds time) {
    return lost.get_future().wait_for(time) == std::future_status::ready;
  }
  std::promise<void> lost;
  PeerWatch watch;
};

TEST(PeerWatch, OtherConnectionsAreNotTakenForPeers) {
  TestRendezvous rendezvous;
  auto first = std::async(std::launch::async,
                          [&] { return connect_peers(0, 2, kAddress, rendezvous.point()); });
  std::vector<FileDescriptor> others;
  for (const char* text : {"", "GET / HTTP/1.0\r\n\r\n, which is longer than a rank's hello\r\n"}) {
    others.push_back(connect_to_port(rendezvous.text()));
    send_text(others.back(), text);
  }
  // The right token with a rank that does not exist.
  const std::string text = rendezvous.text();
  others.push_back(connect_to_port(text));
  send_text(others.back(), text.substr(text.find(' ') + 1) + std::string("\0\0\0\7", 4));
  std::this_thread::sleep_for(100ms);

  Watched second(connect_peers(1, 2, kAddress, rendezvous.point()));
  Watched watched(first.get());
  others.clear();
  EXPECT_FALSE(watched.is_lost_within(2500ms));
  second.watch.part();
  watched.watch.part();
}

TEST(PeerWatch, ListensOnlyOnTheAddressOfTheTraining) {
  TestRendezvous rendezvous;
  auto first = std::async(std::launch::async,
                          [&] { return connect_peers(0, 2, "127.0.0.2", rendezvous.point()); });
  EXPECT_FALSE(try_to_connect(kAddress, rendezvous.text()).valid());
  const std::vector<FileDescriptor> second = connect_peers(1, 2, "127.0.0.2", rendezvous.point());
  EXPECT_EQ(first.get().size(), 1u);
}

// Its hello comes after more connections than rank 0 keeps.
TEST(PeerWatch, AFloodOfOtherConnectionsDoesNotDisplaceASlowPeer) {
  TestRendezvous rendezvous;
  auto first = std::async(std::launch::async,
                          [&] { return connect_peers(0, 3, kAddress, rendezvous.point()); });
  const std::string text = rendezvous.text();
  const FileDescriptor slow = connect_to_port(text);
  std::vector<FileDescriptor> others;
  for (int i = 0; i < 65; ++i) others.push_back(connect_to_port(text));
  std::this_thread::sleep_for(100ms);
  send_text(slow, text.substr(text.find(' ') + 1) + std::string("\0\0\0\1", 4));
  char answer = 0;
  EXPECT_EQ(::recv(slow.number(), &answer, 1, 0), 1);
  // The flood does not keep another peer out either.
  const std::vector<FileDescriptor> other = connect_peers(2, 3, kAddress, rendezvous.point());
  if (answer == 0) connect_peers(1, 3, kAddress, rendezvous.point());
  EXPECT_EQ(first.get().size(), 2u);
}

TEST(PeerWatch, ASecondProcessOfTheSameRankIsRefused) {
  TestRendezvous rendezvous;
  auto first = std::async(std::launch::async,
                          [&] { return connect_peers(0, 3, kAddress, rendezvous.point()); });
  const std::vector<FileDescriptor> second = connect_peers(1, 3, kAddress, rendezvous.point());
  EXPECT_THROW(connect_peers(1, 3, kAddress, rendezvous.point()), PeerError);
  const std::vector<FileDescriptor> third = connect_peers(2, 3, kAddress, rendezvous.point());
  EXPECT_EQ(first.get().size(), 2u);
}

TEST(PeerWatch, AnEndedProcessIsLostAndAPartedOneIsNot) {
  TestRendezvous rendezvous;
  auto first = std::async(std::launch::async,
                          [&] { return connect_peers(0, 2, kAddress, rendezvous.point()); });
  std::vector<FileDescriptor> second = connect_peers(1, 2, kAddress, rendezvous.point());
  Watched watched(first.get());
  second.clear();
  EXPECT_TRUE(watched.is_lost_within(5s));

  TestRendezvous again;
  first =
      std::async(std::launch::async, [&] { return connect_peers(0, 2, kAddress, again.point()); });
  auto parting = std::make_unique<Watched>(connect_peers(1, 2, kAddress, again.point()));
  Watched left(first.get());
  parting->watch.part();
  parting.reset();
  EXPECT_FALSE(left.is_lost_within(2500ms));
}

}  // namespace
}  // namespace dietmt::training
