// The order in which waiting requests get their turns: short requests first, batch jobs last.
// Clients of one priority share equally, by the load handed out to each (start-time fair queueing).
// No priority starves: while all three have work, each gets its share.
//
//   order.add(Priority::kShort, "client", request);
//   while (!order.empty()) {
//     const auto request = order.next();
//     order.charge(load_of(request), is_done(request));
//   }
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace dietmt::service {

enum class Priority { kShort, kLong, kBatch };

template <typename Item>
class FairOrder {
 public:
  /// After a load of `turn`, the next item of the same client and priority gets its turn.
  explicit FairOrder(int64_t turn) : turn_(turn) {}

  bool empty() const { return std::all_of(levels_.begin(), levels_.end(), is_empty); }
  bool has(Priority priority) const { return !is_empty(level(priority)); }

  void add(Priority priority, const std::string& name, Item item) {
    Level& level = levels_[static_cast<size_t>(priority)];
    // Absent clients earn no credit.
    if (is_empty(level)) level.served = std::max(level.served, now_);
    const auto found = std::find_if(level.clients.begin(), level.clients.end(),
                                    [&](const Client& client) { return client.name == name; });
    Client& client = found != level.clients.end()
                         ? *found
                         : level.clients.emplace_back(Client{name, level.now, 0, {}});
    client.items.push_back(std::move(item));
  }

  /// The item whose turn it is. Requires !empty().
  const Item& next() {
    const auto of_level = [](const Level& level) {
      return std::pair(is_empty(level), level.served);
    };
    const auto found =
        std::min_element(levels_.begin(), levels_.end(),
                         [&](const Level& a, const Level& b) { return of_level(a) < of_level(b); });
    return next(static_cast<Priority>(found - levels_.begin()));
  }

  /// The next item of one priority. Requires has(priority).
  const Item& next(Priority priority) {
    level_ = static_cast<size_t>(priority);
    std::vector<Client>& clients = levels_[level_].clients;
    const auto found =
        std::min_element(clients.begin(), clients.end(),
                         [](const Client& a, const Client& b) { return a.served < b.served; });
    client_ = static_cast<size_t>(found - clients.begin());
    return found->items.front();
  }

  /// Counts what was handed out from the item of the last next(). `done`: the item leaves.
  void charge(int64_t load, bool done) {
    Level& level = levels_[level_];
    Client& client = level.clients[client_];
    now_ = level.served;
    level.now = client.served;
    level.served += load * kCosts[level_];
    client.served += load;
    client.turn += load;
    if (!done && client.turn < turn_) return;
    client.turn = 0;
    Item item = std::move(client.items.front());
    client.items.pop_front();
    if (!done) client.items.push_back(std::move(item));
    if (client.items.empty())
      level.clients.erase(level.clients.begin() + static_cast<std::ptrdiff_t>(client_));
  }

  void remove(const Item& item) {
    for (Level& level : levels_) {
      for (Client& client : level.clients) std::erase(client.items, item);
      std::erase_if(level.clients, [](const Client& client) { return client.items.empty(); });
    }
  }

  std::vector<Item> items() const {
    std::vector<Item> all;
    for (const Level& level : levels_)
      for (const Client& client : level.clients)
        all.insert(all.end(), client.items.begin(), client.items.end());
    return all;
  }

 private:
  // Cost per load, by priority: while all have work, short requests get 16 parts, long ones 4 and
  // batch jobs 1.
  static constexpr std::array<int64_t, 3> kCosts = {1, 4, 16};

  struct Client {
    std::string name;
    int64_t served = 0;
    int64_t turn = 0;  // served in this turn
    std::deque<Item> items;
  };
  struct Level {
    int64_t served = 0;           // times its cost
    int64_t now = 0;              // what the client of the last turn had been served before it
    std::vector<Client> clients;  // with items
  };

  static bool is_empty(const Level& level) { return level.clients.empty(); }
  const Level& level(Priority priority) const { return levels_[static_cast<size_t>(priority)]; }

  int64_t turn_;
  std::array<Level, 3> levels_;
  int64_t now_ = 0;  // what the level of the last turn had been served before it
  size_t level_ = 0;
  size_t client_ = 0;
};

}  // namespace dietmt::service
