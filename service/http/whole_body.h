// Forms of any size for handlers that want the whole body.
#pragma once

#include <httplib.h>

namespace dietmt::service {

/// `handler` with a request that has its body, parameters and files as cpp-httplib gives them to
/// plain handlers. There, URL-encoded forms above 8 KB are refused with 413; here the server's own
/// limit holds:
///
///   server.Post("/translate", with_whole_body(translate));
httplib::Server::HandlerWithContentReader with_whole_body(httplib::Server::Handler handler);

}  // namespace dietmt::service
