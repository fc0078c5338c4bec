#pragma once

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>  // before Boost.Asio 1.74, which forgets it

// A client of the studio that waits, and may misbehave.
namespace sinew::studio {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using tcp = asio::ip::tcp;

struct Answer {
  int status = 0;  // 0: the connection ended without one
  std::string body, policy;
};

struct Asking {
  http::verb verb = http::verb::get;
  std::string host = {}, origin = {}, body = {};
};

inline tcp::socket connect(asio::io_context& io, int port) {
  tcp::socket socket(io);
  socket.connect({asio::ip::make_address("127.0.0.1"), static_cast<unsigned short>(port)});
  return socket;
}

inline Answer ask(int port, const std::string& target, const Asking& asking = {}) {
  asio::io_context io;
  beast::tcp_stream stream(connect(io, port));
  http::request<http::string_body> request(asking.verb, target, 11);
  request.set(http::field::host, asking.host.empty() ? "127.0.0.1:" + std::to_string(port) : asking.host);
  if (!asking.origin.empty()) request.set(http::field::origin, asking.origin);
  request.body() = asking.body;
  request.prepare_payload();
  beast::error_code error;
  http::write(stream, request, error);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(size_t{64} << 20);
  http::read(stream, buffer, parser, error);
  if (error && error != http::error::end_of_stream) return {};
  return {static_cast<int>(parser.get().result_int()), parser.get().body(),
          std::string(parser.get()["Content-Security-Policy"])};
}

// An open page without the page.
class TestPage {
 public:
  TestPage(int port, const std::string& token, const std::string& host = "", const std::string& origin = "")
      : ws_(io_) {
    beast::get_lowest_layer(ws_).socket() = connect(io_, port);
    ws_.set_option(
        beast::websocket::stream_base::decorator([origin](beast::websocket::request_type& request) {
          if (!origin.empty()) request.set(http::field::origin, origin);
        }));
    beast::error_code error;
    ws_.handshake(host.empty() ? "127.0.0.1:" + std::to_string(port) : host, "/socket?token=" + token, error);
    open_ = !error;
  }
  bool open() const { return open_; }

  void send(const std::string& text, bool binary = false) {
    beast::error_code error;
    ws_.binary(binary);
    ws_.write(asio::buffer(text), error);
    if (error) open_ = false;
  }

  void ping() {
    beast::error_code error;
    ws_.ping({}, error);
    if (error) open_ = false;
  }

  // The next message of a type within a time ("frame" for bytes); null if none came.
  nlohmann::json wait_for(const std::string& type, double seconds = 60) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (open_ && std::chrono::steady_clock::now() < end) {
      beast::flat_buffer buffer;
      beast::error_code error;
      ws_.read(buffer, error);
      if (error) {
        open_ = false;
        break;
      }
      const std::string text = beast::buffers_to_string(buffer.data());
      if (ws_.got_binary()) {
        frame = text;
        if (type == "frame") return true;
        continue;
      }
      const auto json = nlohmann::json::parse(text);
      scenes += json["type"] == "scene";
      if (json["type"] == type) return json;
    }
    return nullptr;
  }
  std::string frame;
  int scenes = 0;  // that have come

 private:
  asio::io_context io_;
  beast::websocket::stream<beast::tcp_stream> ws_;
  bool open_ = false;
};

}  // namespace sinew::studio
