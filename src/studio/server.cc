#include "studio/server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <thread>
#include <utility>  // before Boost.Asio 1.74, which forgets it

#include "core/error.h"
#include "studio/address.h"
#include "studio/page_files.h"
#include "studio/token.h"

namespace sinew::studio {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using tcp = asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Response = http::response<http::string_body>;

namespace {

constexpr unsigned kLargestHeader_bytes = 8192;
constexpr auto kPatience = std::chrono::seconds(20), kUploadPatience = std::chrono::seconds(60);

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

class Page;
class Connection;

// What all connections share. All but the stage belongs to the thread of the connections.
struct Server::Impl {
  explicit Impl(const ServerOptions& options);
  ~Impl();
  void accept();
  void serve();
  void make_room();
  void send(const Outgoing& message);
  bool token_fits(const std::string& token) const { return same_secret(token, options.token); }

  ServerOptions options;
  std::map<std::string, PageFile> page;
  Workshop workshop;
  int port = 0;
  int connections = 0;
  bool uploading = false;
  long next_client = 1;
  std::map<long, std::shared_ptr<Page>> pages;
  std::list<Connection*> waiting;  // that have not said yet what they want, the longest waiting first
  asio::io_context io{1};          // after what its handlers use
  tcp::acceptor acceptor{io};
  std::unique_ptr<Stage> stage;
  std::thread thread;
};

using Shared = Server::Impl;

// ---- a socket: one open page

class Page : public std::enable_shared_from_this<Page> {
 public:
  Page(Shared& shared, beast::tcp_stream&& stream, long id)
      : shared_(shared),
        ws_(std::move(stream)),
        id_(id),
        allowance_(2 * kRequestsPerSecond),
        last_(Clock::now()) {
    ++shared_.connections;
  }
  ~Page() { --shared_.connections; }

  void start(const http::request<http::string_body>& request) {
    beast::get_lowest_layer(ws_).expires_never();
    auto patience = websocket::stream_base::timeout::suggested(beast::role_type::server);
    patience.idle_timeout = std::chrono::seconds(60);
    patience.keep_alive_pings = true;
    ws_.set_option(patience);
    ws_.read_message_max(kLargestRequest_bytes);
    // Pings count as messages do. Not from within the reading that hears them.
    ws_.control_callback([this](websocket::frame_type, beast::string_view) {
      if (!may_speak()) asio::post(shared_.io, [self = shared_from_this()] { self->end(); });
    });
    ws_.async_accept(request, [self = shared_from_this()](beast::error_code error) {
      if (error) return self->end();
      self->open_ = true;
      self->shared_.stage->greet(self->id_);
      self->read();
    });
  }

  // Frames that a slow page cannot take are left out; one that takes nothing at all is left.
  void send(const Outgoing& message) {
    if (!open_) return;
    if (message.binary && waiting_frames_ >= kMostWaitingFrames) return;
    waiting_bytes_ += message.bytes->size();
    waiting_frames_ += message.binary;
    waiting_.push_back(message);
    if (waiting_bytes_ > kMostWaiting_bytes) return end();
    if (waiting_.size() == 1) write();
  }

  void end() {
    open_ = false;
    beast::error_code ignored;
    beast::get_lowest_layer(ws_).socket().close(ignored);
    if (shared_.pages.erase(id_) > 0) shared_.stage->leave(id_);
  }

 private:
  void read() {
    ws_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, size_t) {
      if (error || !self->open_) return self->end();
      if (!self->hear()) return self->close();
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }

  // Whether one more message is within the rate.
  bool may_speak() {
    const auto now = Clock::now();
    allowance_ =
        std::min(2 * kRequestsPerSecond,
                 allowance_ + kRequestsPerSecond * std::chrono::duration<double>(now - last_).count());
    last_ = now;
    return --allowance_ >= 0;
  }

  // One message. False: enough of this one.
  bool hear() {
    if (!may_speak() || !ws_.got_text()) return false;
    try {
      const std::string text = beast::buffers_to_string(buffer_.data());
      if (!shared_.stage->ask(id_, read_request(text))) throw Error("too much was asked at once");
    } catch (const Error& error) {
      if (++mistakes_ > kMostMistakes) return false;
      send({id_, false, std::make_shared<const std::string>(tell_error(error.what()))});
    }
    return true;
  }

  void write() {
    const Outgoing& next = waiting_.front();
    ws_.binary(next.binary);
    ws_.async_write(asio::buffer(*next.bytes), [self = shared_from_this()](beast::error_code error, size_t) {
      if (error || !self->open_) return self->end();
      self->waiting_bytes_ -= self->waiting_.front().bytes->size();
      self->waiting_frames_ -= self->waiting_.front().binary;
      self->waiting_.pop_front();
      if (!self->waiting_.empty()) self->write();
    });
  }

  void close() {
    if (!waiting_.empty()) return end();
    ws_.async_close(websocket::close_code::policy_error,
                    [self = shared_from_this()](beast::error_code) { self->end(); });
  }

  Shared& shared_;
  websocket::stream<beast::tcp_stream> ws_;
  beast::flat_buffer buffer_;
  const long id_;
  double allowance_;
  Clock::time_point last_;
  int mistakes_ = 0;
  bool open_ = false;
  std::deque<Outgoing> waiting_;
  size_t waiting_bytes_ = 0, waiting_frames_ = 0;
};

// ---- a connection that asks for files, brings one, or becomes a socket

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Shared& shared, tcp::socket&& socket)
      : shared_(shared), stream_(std::move(socket)), buffer_(1 << 17) {
    ++shared_.connections;
  }
  ~Connection() {
    stop_waiting();
    --shared_.connections;
    if (uploading_) shared_.uploading = false;
  }

  void read() {
    parser_.emplace();
    parser_->header_limit(kLargestHeader_bytes);
    parser_->body_limit(kLargestDrop_bytes);
    stream_.expires_after(kPatience);
    place_ = shared_.waiting.insert(shared_.waiting.end(), this);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, size_t) {
                              self->stop_waiting();
                              if (error) return self->failed(error);
                              self->judge();
                            });
  }

  // It has to make room for others; the reading that is under way ends with an error.
  void leave() {
    stop_waiting();
    beast::error_code ignored;
    stream_.socket().close(ignored);
  }

 private:
  void stop_waiting() {
    if (place_) shared_.waiting.erase(*place_);
    place_.reset();
  }

  const http::request<http::string_body>& request() const { return parser_->get(); }

  void failed(beast::error_code error) {
    if (error == http::error::body_limit)
      return refuse(http::status::payload_too_large, "the file is too large");
    if (error == http::error::header_limit)
      return refuse(http::status::request_header_fields_too_large, "too long");
    close();
  }

  // Who asks, and for what; nothing of the body was read yet.
  void judge() {
    const std::string_view host = view(request()[http::field::host]),
                           origin = view(request()[http::field::origin]);
    if (!host_allowed(host, shared_.options.host, shared_.port))
      return refuse(http::status::misdirected_request,
                    "this is not the name of the studio; open the address that it printed");
    if (!origin_allowed(origin, host))
      return refuse(http::status::forbidden, "pages of other sites may not ask");
    const Target target = read_target(view(request().target()));
    const auto token = target.query.find("token");
    const bool knows = token != target.query.end() && shared_.token_fits(token->second);
    if (target.path == "/socket") return open_socket(knows);
    if (target.path == "/import" && request().method() == http::verb::post) return take_file(target, knows);
    if (request().method() != http::verb::get && request().method() != http::verb::head)
      return refuse(http::status::method_not_allowed, "only GET");
    if (parser_->chunked() || parser_->content_length().value_or(0) > 0)
      return refuse(http::status::bad_request, "GET has no body");
    if (target.path.starts_with("/take/")) return give_take(target.path.substr(6), knows);
    give_page(target.path == "/" ? "/index.html" : target.path);
  }

  void open_socket(bool knows) {
    if (!knows) return refuse(http::status::forbidden, "the token is missing or of another studio");
    if (!websocket::is_upgrade(request())) return refuse(http::status::upgrade_required, "this is a socket");
    if (shared_.pages.size() >= kMostPages)
      return refuse(http::status::service_unavailable, "too many pages are open");
    const long id = shared_.next_client++;
    const auto page = std::make_shared<Page>(shared_, std::move(stream_), id);
    shared_.pages[id] = page;
    page->start(parser_->release());
  }

  void take_file(const Target& target, bool knows) {
    if (!knows) return refuse(http::status::forbidden, "the token is missing or of another studio");
    if (shared_.uploading) return refuse(http::status::service_unavailable, "another file is being taken in");
    const auto name = target.query.find("name");
    if (name == target.query.end()) return refuse(http::status::bad_request, "the file has no name");
    const auto whom = target.query.find("performer");
    // One digit: there are not more.
    const int performer = whom != target.query.end() && whom->second.size() == 1 ? whom->second[0] - '0' : 0;
    uploading_ = shared_.uploading = true;
    stream_.expires_after(kUploadPatience);
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this(), name = name->second, performer](beast::error_code error, size_t) {
          if (error) return self->failed(error);
          self->import(name, performer);
        });
  }

  void import(const std::string& name, int performer) {
    stream_.expires_never();
    const auto bytes = std::make_shared<const std::string>(std::move(parser_->get().body()));
    const bool taken =
        shared_.stage->drop(name, bytes, performer, [self = shared_from_this()](const std::string& error) {
          asio::post(self->shared_.io, [self, error] {
            if (error.empty())
              self->answer(http::status::ok, "text/plain; charset=utf-8", "taken in");
            else
              self->refuse(http::status::unprocessable_entity, error);
          });
        });
    if (!taken) refuse(http::status::service_unavailable, "the studio is busy; try again in a moment");
  }

  void give_take(const std::string& id, bool knows) {
    const auto file = knows ? shared_.stage->file(id) : nullptr;
    if (!file) return refuse(http::status::not_found, "there is no such file");
    answer(http::status::ok, file->type, *file->bytes, "attachment; filename=\"" + file->name + "\"");
  }

  void give_page(const std::string& path) {
    const auto file = shared_.page.find(path);
    if (file == shared_.page.end()) return refuse(http::status::not_found, "there is no such file");
    answer(http::status::ok, file->second.type, *file->second.bytes);
  }

  void refuse(http::status status, const std::string& sentence) {
    keep_ = false;
    answer(status, "text/plain; charset=utf-8", sentence + "\n");
  }

  void answer(http::status status, const std::string& type, const std::string& body,
              const std::string& disposition = "") {
    auto response = std::make_shared<Response>(status, 11);
    response->set(http::field::content_type, type);
    response->set(http::field::cache_control, "no-store");
    if (!disposition.empty()) response->set(http::field::content_disposition, disposition);
    response->set("X-Content-Type-Options", "nosniff");
    response->set("Referrer-Policy", "no-referrer");
    response->set("Cross-Origin-Resource-Policy", "same-origin");
    response->set("Content-Security-Policy",
                  "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "
                  "form-action 'none'; frame-ancestors 'none'");
    const bool whole = parser_->is_header_done() && keep_ && request().keep_alive();
    response->keep_alive(whole);
    response->body() = body;
    response->prepare_payload();
    if (parser_->is_header_done() && request().method() == http::verb::head) response->body().clear();
    stream_.expires_after(kUploadPatience);
    http::async_write(stream_, *response,
                      [self = shared_from_this(), response, whole](beast::error_code error, size_t) {
                        if (self->uploading_) self->shared_.uploading = self->uploading_ = false;
                        if (error || !whole) return self->close();
                        self->read();
                      });
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
    stream_.close();
  }

  Shared& shared_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  bool keep_ = true, uploading_ = false;
  std::optional<std::list<Connection*>::iterator> place_;  // in Impl::waiting
};

Server::Impl::Impl(const ServerOptions& given)
    : options(given), page(read_page(given.page)), workshop(given.shelves) {
  if (options.token.empty()) options.token = random_token();
  beast::error_code error;
  const auto address =
      asio::ip::make_address(options.host == "localhost" ? "127.0.0.1" : options.host, error);
  if (error) throw Error("--host must be an address such as 127.0.0.1, not '" + options.host + "'");
  const tcp::endpoint endpoint(address, static_cast<unsigned short>(options.port));
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    throw Error("cannot listen on " + options.host + ", port " + std::to_string(options.port) + ": " +
                error.message());
  port = acceptor.local_endpoint().port();
  stage = std::make_unique<Stage>(workshop, options.threads, [this](const Outgoing& message) {
    asio::post(io, [this, message] { send(message); });
  });
  accept();
  thread = std::thread([this] { serve(); });
}

// What goes wrong with one connection, such as want of memory, is the end of that one only.
void Server::Impl::serve() {
  for (;;) {
    try {
      io.run();
      return;
    } catch (const std::exception&) {
    }
  }
}

// First the connections, which ask the stage; what it still says to them goes nowhere.
Server::Impl::~Impl() {
  io.stop();
  thread.join();
  stage.reset();
  pages.clear();
}

void Server::Impl::accept() {
  acceptor.async_accept(io, [this](beast::error_code error, tcp::socket socket) {
    if (error == asio::error::operation_aborted || !acceptor.is_open()) return;
    if (!error) make_room();
    if (!error && connections < kMostConnections) {
      beast::error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Connection>(*this, std::move(socket))->read();
    }
    accept();
  });
}

// Those who came and said nothing, or dribble, leave before anybody is turned away.
void Server::Impl::make_room() {
  if (connections + 1 < kMostConnections || waiting.empty()) return;
  waiting.front()->leave();
}

void Server::Impl::send(const Outgoing& message) {
  if (message.client != 0) {
    if (const auto at = pages.find(message.client); at != pages.end()) at->second->send(message);
    return;
  }
  // A page that ends while it is sent to leaves the list.
  std::vector<std::shared_ptr<Page>> all;
  for (const auto& [id, one] : pages) all.push_back(one);
  for (const auto& one : all) one->send(message);
}

Server::Server(const ServerOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Server::~Server() = default;
int Server::port() const { return impl_->port; }
Stage& Server::stage() { return *impl_->stage; }

std::string Server::address() const {
  const std::string& host = impl_->options.host;
  const bool all = host == "0.0.0.0" || host == "::";
  const std::string name = all ? "localhost" : host.find(':') != std::string::npos ? "[" + host + "]" : host;
  return "http://" + name + ":" + std::to_string(impl_->port) + "/#token=" + impl_->options.token;
}

}  // namespace sinew::studio
