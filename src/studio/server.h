#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "studio/stage.h"
#include "studio/workshop.h"

namespace sinew::studio {

struct ServerOptions {
  std::string host = "127.0.0.1";  // address to listen on
  int port = 0;                    // 0: any that is free
  std::string token;               // without it nothing but the page is given; empty: a random one
  std::filesystem::path page;      // the built page
  Shelves shelves;
  int threads = 0;  // of the methods and searches; 0: one a core
};

// How much strangers may ask for.
inline constexpr int kMostConnections = 64;
inline constexpr int kMostPages = 12;                           // sockets
inline constexpr double kRequestsPerSecond = 250;               // of a socket, and twice that at once
inline constexpr size_t kMostWaiting_bytes = size_t{32} << 20;  // to a page that does not read
inline constexpr size_t kMostWaitingFrames = 12;
inline constexpr int kMostMistakes = 100;  // of a socket

// The studio as a server: page, socket, uploads and downloads over HTTP; one thread for all connections. It
// listens once it is made, until it is destroyed.
class Server {
 public:
  // Throws Error when the page is missing or the address cannot be listened on.
  explicit Server(const ServerOptions& options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  std::string address() const;  // what a browser opens, with the token
  Stage& stage();

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace sinew::studio
