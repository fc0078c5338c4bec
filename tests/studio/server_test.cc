#include "studio/server.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <thread>

#include "core/error.h"
#include "core/files.h"
#include "motion/write_bvh.h"
#include "record/clip_export.h"
#include "studio/client.h"
#include "studio/scratch_folder.h"
#include "studio/shelves.h"

namespace sinew::studio {
namespace {

constexpr char kToken[] = "0123456789abcdef";

// A studio with a page of two files.
class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    write_file(page_.path() / "index.html", "<html>hello</html>");
    write_file(page_.path() / "a.js", "1");
    ServerOptions options;
    options.token = kToken;
    options.page = page_.path();
    options.shelves = own_shelves();
    options.threads = 1;
    server_ = std::make_unique<Server>(options);
    port_ = server_->port();
  }
  void begin(Method method = Method::kServo) {
    Role role;
    role.clip = "punch";
    role.method = method;
    role.loop = false;
    server_->stage().begin({role}, {});
  }
  // A page that comes now is served as ever.
  void expect_alive() {
    EXPECT_EQ(ask(port_, "/").status, 200);
    TestPage page(port_, kToken);
    EXPECT_TRUE(page.open());
    EXPECT_FALSE(page.wait_for("frame").is_null());
  }

  ScratchFolder page_;
  std::unique_ptr<Server> server_;
  int port_ = 0;
};

double memory_MB() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

TEST_F(ServerTest, GivesThePageAndNothingElse) {
  const Answer page = ask(port_, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<html>hello</html>");
  EXPECT_NE(page.policy.find("default-src 'self'"), std::string::npos);
  EXPECT_EQ(ask(port_, "/a.js").status, 200);
  for (const char* target : {"/b.js", "/../a.js", "/..%2f..%2fetc/passwd", "//etc/passwd", "/etc/passwd",
                             "/a.js/", "/take/x", "/%2e%2e/a.js", "/index.html%00"})
    EXPECT_EQ(ask(port_, target).status, 404) << target;
  EXPECT_EQ(ask(port_, "/", {http::verb::post, "", "", "x"}).status, 405);
  EXPECT_EQ(ask(port_, "/", {http::verb::get, "", "", "x"}).status, 400);
}

TEST_F(ServerTest, ChecksHostOriginAndToken) {
  begin();
  const std::string here = "127.0.0.1:" + std::to_string(port_);
  EXPECT_EQ(ask(port_, "/", {http::verb::get, "evil.example"}).status, 421);
  EXPECT_EQ(ask(port_, "/", {http::verb::get, "evil.example:" + std::to_string(port_)}).status, 421);
  EXPECT_EQ(ask(port_, "/", {http::verb::get, here, "http://evil.example"}).status, 403);
  EXPECT_EQ(ask(port_, "/socket").status, 403);
  EXPECT_EQ(ask(port_, "/socket?token=" + std::string(kToken)).status, 426);
  EXPECT_EQ(ask(port_, "/import?name=a.bvh", {http::verb::post, here, "", "x"}).status, 403);
  EXPECT_FALSE(TestPage(port_, "").open());
  EXPECT_FALSE(TestPage(port_, "0123456789abcdeF").open());
  EXPECT_FALSE(TestPage(port_, kToken, "evil.example:" + std::to_string(port_)).open());
  EXPECT_FALSE(TestPage(port_, kToken, "", "http://evil.example").open());
  EXPECT_TRUE(TestPage(port_, kToken, "", "http://" + here).open());
  EXPECT_NE(server_->address().find(kToken), std::string::npos);
}

TEST_F(ServerTest, ShowsALiveSimulation) {
  begin();
  TestPage page(port_, kToken);
  ASSERT_TRUE(page.open());
  const auto hello = page.wait_for("hello");
  EXPECT_GT(hello["motions"].size(), 5u);
  const auto scene = page.wait_for("scene");
  ASSERT_EQ(scene["performers"].size(), 1u);
  EXPECT_EQ(scene["performers"][0]["role"]["clip"], "punch");
  EXPECT_FALSE(page.wait_for("frame").is_null());

  // Time stands still and goes on.
  page.send(R"({"type":"pause","on":true})");
  while (!page.wait_for("state")["paused"]) {
  }
  page.send(R"({"type":"step","frames":2})");
  EXPECT_FALSE(page.wait_for("frame").is_null());
  page.send(R"({"type":"seek","time":0.05})");
  EXPECT_FALSE(page.wait_for("frame").is_null());
  EXPECT_EQ(page.frame[20], 1);

  // Another character, another ground, one more performer.
  page.send(R"({"type":"choose","character":"human57"})");
  EXPECT_EQ(page.wait_for("scene")["performers"][0]["role"]["character"], "human57");
  page.send(R"({"type":"surround","slope":-3})");
  EXPECT_EQ(page.wait_for("scene")["setting"]["world"], "slope:deg=-3");
  page.send(R"({"type":"add"})");
  EXPECT_EQ(page.wait_for("scene")["performers"].size(), 2u);
  page.send(R"({"type":"remove","performer":1})");
  EXPECT_EQ(page.wait_for("scene")["performers"].size(), 1u);

  // What cannot be gets a sentence, and what was there stays.
  page.send(R"({"type":"choose","clip":"/etc/passwd"})");
  EXPECT_NE(page.wait_for("error")["text"].get<std::string>().find("no motion"), std::string::npos);
  EXPECT_EQ(page.wait_for("scene")["performers"][0]["role"]["clip"], "punch");
}

// A run becomes another's while it goes on, or is tuned for another; both can be ended.
TEST_F(ServerTest, RunsAreMorphedAndAdapted) {
  Role role;
  role.clip = "behaviour/run";
  server_->stage().begin({role}, {});
  TestPage page(port_, kToken);
  ASSERT_FALSE(page.wait_for("frame").is_null());
  page.send(R"({"type":"morph","to":"child","seconds":20})");
  const auto change = [&] { return page.wait_for("state")["changes"][0]; };
  for (auto now = change(); now.is_null() || now["part"] < 0.005; now = change()) ASSERT_TRUE(page.open());
  EXPECT_EQ(change()["to"], "child");
  page.send(R"({"type":"turn_back"})");
  while (change()["under_way"]) ASSERT_TRUE(page.open());
  EXPECT_EQ(change()["part"], 0);

  // The best so far runs while the search goes on; cancelled, all is as before.
  page.send(R"({"type":"adapt","to":"woman"})");
  const auto runner = [&] { return page.wait_for("scene")["performers"][0]["role"]["character"]; };
  while (runner() != "woman") ASSERT_TRUE(page.open());
  const auto search = page.wait_for("state")["search"];
  EXPECT_EQ(search["kind"], "adapt");
  page.send(R"({"type":"cancel"})");
  while (runner() != "man") ASSERT_TRUE(page.open());
  EXPECT_FALSE(page.wait_for("state").contains("search"));
  page.send(R"({"type":"adapt","to":"human50"})");
  EXPECT_FALSE(page.wait_for("note").is_null());
}

TEST_F(ServerTest, TwoPagesSeeTheSame) {
  begin();
  TestPage one(port_, kToken), two(port_, kToken);
  ASSERT_FALSE(one.wait_for("frame").is_null());
  ASSERT_FALSE(two.wait_for("frame").is_null());
  one.send(R"({"type":"speed","factor":0.5})");
  while (two.wait_for("state")["speed"] != 0.5) ASSERT_TRUE(two.open());
}

TEST_F(ServerTest, FilesAreDroppedAndTakesFetched) {
  begin();
  TestPage page(port_, kToken);
  ASSERT_FALSE(page.wait_for("frame").is_null());
  const std::string token = "token=" + std::string(kToken);
  const Answer bad =
      ask(port_, "/import?name=bad.bvh&" + token, {http::verb::post, "", "", "HIERARCHY\nROOT"});
  EXPECT_EQ(bad.status, 422);
  EXPECT_EQ(bad.body.find("bad.bvh:"), 0u) << bad.body;
  page.send(R"({"type":"export","format":"bvh"})");
  const auto file = page.wait_for("file");
  ASSERT_TRUE(file.is_object());
  const std::string where = "/take/" + file["id"].get<std::string>();
  EXPECT_EQ(ask(port_, where).status, 404);
  const Answer take = ask(port_, where + "?" + token);
  ASSERT_EQ(take.status, 200);
  ASSERT_EQ(take.body.find("HIERARCHY"), 0u);
  // And back again.
  EXPECT_EQ(ask(port_, "/import?name=take.bvh&" + token, {http::verb::post, "", "", take.body}).status, 200);
  for (;;) {
    const auto scene = page.wait_for("scene");
    ASSERT_TRUE(scene.is_object());
    if (scene["performers"][0]["role"]["clip"] == "dropped/take") break;
  }
}

TEST_F(ServerTest, TooMuchIsRefused) {
  begin();
  TestPage large(port_, kToken);
  large.send("\"" + std::string(kLargestRequest_bytes + 10, 'a') + "\"");
  EXPECT_TRUE(large.wait_for("never", 10).is_null());
  EXPECT_FALSE(large.open());
  TestPage binary(port_, kToken);
  binary.send("abc", true);
  EXPECT_TRUE(binary.wait_for("never", 10).is_null());
  EXPECT_FALSE(binary.open());
  TestPage flood(port_, kToken);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 5000 && flood.open(); ++i) flood.send(R"({"type":"release"})");
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  // On a machine so busy that it is no flood, there is nothing to refuse.
  if (5000 > 3 * kRequestsPerSecond * (1 + took.count())) {
    EXPECT_TRUE(flood.wait_for("never", 10).is_null());
    EXPECT_FALSE(flood.open());
  }
  const std::string huge = "POST /import?name=a.bvh&token=" + std::string(kToken) +
                           " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
                           "\r\nContent-Length: 99999999999\r\n\r\n";
  asio::io_context io;
  tcp::socket socket = connect(io, port_);
  asio::write(socket, asio::buffer(huge));
  std::string answer(64, '\0');
  beast::error_code error;
  socket.read_some(asio::buffer(answer), error);
  EXPECT_NE(answer.find("413"), std::string::npos) << answer;
  expect_alive();
}

TEST_F(ServerTest, NotMoreThanSoManyPages) {
  begin();
  std::vector<std::unique_ptr<TestPage>> pages;
  for (int i = 0; i < kMostPages; ++i) {
    pages.push_back(std::make_unique<TestPage>(port_, kToken));
    EXPECT_TRUE(pages.back()->open());
  }
  EXPECT_FALSE(TestPage(port_, kToken).open());
  pages.clear();
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (TestPage(port_, kToken).open()) return;
  }
  FAIL() << "pages that are gone still count";
}

// Whoever comes and dribbles cannot keep others out, however many they are.
TEST_F(ServerTest, SlowClientsMakeRoom) {
  begin();
  asio::io_context io;
  std::vector<tcp::socket> slow;
  beast::error_code ignored;
  for (int i = 0; i < 2 * kMostConnections; ++i) {
    slow.push_back(connect(io, port_));
    const std::string_view words = i % 2 == 0 ? "" : "GET / HTTP/1.1\r\nHost: 127";
    asio::write(slow.back(), asio::buffer(words), ignored);
  }
  expect_alive();
  // The first to come were the first to go.
  char byte = 0;
  slow.front().read_some(asio::buffer(&byte, 1), ignored);
  EXPECT_TRUE(ignored);
}

// A page that has the token keeps its socket while others crowd in.
TEST_F(ServerTest, PagesStayWhenManyCome) {
  begin();
  TestPage page(port_, kToken);
  ASSERT_FALSE(page.wait_for("frame").is_null());
  asio::io_context io;
  std::vector<tcp::socket> crowd;
  for (int i = 0; i < 2 * kMostConnections; ++i) crowd.push_back(connect(io, port_));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(page.wait_for("frame").is_null());
}

TEST_F(ServerTest, FloodsOfPingsAreRefused) {
  begin();
  TestPage page(port_, kToken);
  ASSERT_FALSE(page.wait_for("frame").is_null());
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 5000 && page.open(); ++i) page.ping();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (5000 > 3 * kRequestsPerSecond * (1 + took.count())) {
    EXPECT_TRUE(page.wait_for("never", 10).is_null());
    EXPECT_FALSE(page.open());
  }
  expect_alive();
}

// Names of dropped files lead nowhere else.
TEST_F(ServerTest, NamesOfDropsAreNoPaths) {
  begin();
  const std::string token = "&token=" + std::string(kToken);
  for (const char* name : {"..", "%2e%2e%2f", "/etc/passwd", "..%2F..%2Fetc%2Fpasswd", "a.bvh%00.txt", "%00",
                           ".bvh", "a.gltf", "a.amc", "", "C%3A%5Cx.exe"}) {
    const Answer answer =
        ask(port_, "/import?name=" + std::string(name) + token, {http::verb::post, "", "", "HIERARCHY"});
    EXPECT_EQ(answer.status, 422) << name;
    EXPECT_EQ(answer.body.find("/tmp"), std::string::npos) << answer.body;
  }
  const Answer outside =
      ask(port_, "/import?name=..%2F..%2Fout.bvh" + token, {http::verb::post, "", "", "HIERARCHY\n"});
  EXPECT_EQ(outside.status, 422);
  EXPECT_EQ(outside.body.find("out.bvh:"), 0u) << outside.body;
  expect_alive();
}

// The first frame that shows what a hand did says so, and comes at once, however slowly time goes.
TEST_F(ServerTest, HandsAreAnsweredAtOnce) {
  begin();
  TestPage page(port_, kToken);
  ASSERT_FALSE(page.wait_for("frame").is_null());
  page.send(R"({"type":"speed","factor":0.02})");
  while (page.wait_for("state")["speed"] != 0.02) ASSERT_TRUE(page.open());
  for (int i = 0; i < 3; ++i) {
    page.send(R"({"type":"push","performer":0,"body":0,"force":[100,0,0],"seconds":0.1})");
    for (int frames = 0;; ++frames) {
      ASSERT_LT(frames, 3) << "a push is answered by none of the next frames";
      ASSERT_FALSE(page.wait_for("frame").is_null());
      if (page.frame[20] == 4) break;
    }
  }
}

// However many single frames are asked for, others do not wait for all of them.
TEST_F(ServerTest, ManyStepsKeepNobodyWaiting) {
  begin();
  TestPage page(port_, kToken);
  ASSERT_FALSE(page.wait_for("frame").is_null());
  page.send(R"({"type":"pause","on":true})");
  auto state = page.wait_for("state");
  while (!state["paused"]) state = page.wait_for("state");
  for (int i = 0; i < 20; ++i) page.send(R"({"type":"step","frames":60})");
  page.send(R"({"type":"ping","stamp":1})");
  ASSERT_FALSE(page.wait_for("pong").is_null());
  EXPECT_LT(page.wait_for("state")["clock"].get<double>() - state["clock"].get<double>(), 3);
}

// Others are on their way while those who are there are asked to begin anew, or to search.
TEST_F(ServerTest, ResetWhileFewerPerformersAreComing) {
  Role role;
  role.clip = "punch";
  role.method = Method::kServo;
  role.loop = false;
  server_->stage().begin({role, role, role}, {});
  TestPage page(port_, kToken);
  ASSERT_FALSE(page.wait_for("frame").is_null());
  page.send(R"({"type":"choose","performer":2,"gain":2})");
  while (page.wait_for("scene")["performers"][2]["role"]["gain"] != 2) ASSERT_TRUE(page.open());
  page.send(R"({"type":"gallery","scene":"boxing"})");
  page.send(R"({"type":"reset"})");
  page.send(R"({"type":"reconstruct","performer":2})");
  while (page.wait_for("scene")["performers"].size() != 1) ASSERT_TRUE(page.open());
  EXPECT_FALSE(page.wait_for("frame").is_null());
  EXPECT_FALSE(page.wait_for("state").contains("search"));
}

// A motion that takes long to prepare does not keep the next one out.
TEST_F(ServerTest, ADropIsTakenInWhileAnotherIsPrepared) {
  begin();
  TestPage page(port_, kToken);
  ASSERT_FALSE(page.wait_for("frame").is_null());
  Role role;
  role.loop = false;
  const Casting walk = Workshop(own_shelves()).cast(role, {});
  const auto file_of = [&](int times) {
    std::vector<VecX> q;
    for (int i = 0; i < times; ++i) q.insert(q.end(), walk.reference.q.begin(), walk.reference.q.end());
    return write_bvh(clip_from_motion(walk.character, q, walk.reference.frame_time_s, "walk"));
  };
  const std::string token = "&token=" + std::string(kToken);
  for (const auto& [name, times] : {std::pair("long.bvh", 20), std::pair("short.bvh", 1)})
    EXPECT_EQ(
        ask(port_, "/import?name=" + std::string(name) + token, {http::verb::post, "", "", file_of(times)})
            .status,
        200);
  // It is among the motions before the first is performed, and performed in the end.
  const int before = page.scenes;
  auto hello = page.wait_for("hello");
  for (; hello["drops"].size() < 2; hello = page.wait_for("hello")) ASSERT_TRUE(page.open());
  EXPECT_EQ(page.scenes, before);
  while (page.wait_for("scene")["performers"][0]["role"]["clip"] != "dropped/short") ASSERT_TRUE(page.open());
}

// A client that says anything at all: bytes that are no HTTP, sockets full of half-good requests, connections
// that end in the middle. The studio goes on, and takes no more memory.
TEST_F(ServerTest, SurvivesAFuzzedClient) {
  begin();
  expect_alive();
  std::mt19937 random(7);
  const std::vector<std::string> words = {
      R"({"type":"pause","on":false})",
      R"({"type":"reset"})",
      R"({"type":"rewind","time":0.1})",
      R"({"type":"seek","time":0})",
      R"({"type":"hold","performer":0,"body":2,"point":[0,0,0],"target":[9,9,9]})",
      R"({"type":"step","frames":60})",
      R"({"type":"push","performer":3,"body":900,"force":[3000,0,0],"seconds":2})",
      R"({"type":"speed","factor":4})",
      R"({"type":"throw","performer":0,"from":[0,0,0],"to":[0,0,0],"speed":30})",
      R"({"type":"release"})",
      R"({"type":"remove","performer":0})",
      R"({"type":"gallery","scene":"none"})",
      R"({"type":"choose","gain":9})",
      R"({"type":"surround","friction":0.02})",
      R"({"type":"cancel"})",
      R"({"type":"choose","clip":"behaviour/run"})",
      R"({"type":"morph","to":"child","seconds":1})",
      R"({"type":"turn_back"})",
      R"({"type":"adapt","to":"nobody"})",
      R"({"type":"export","format":"control"})"};
  const auto scrambled = [&](std::string text) {
    for (size_t k = random() % 4; k > 0 && !text.empty(); --k)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    return text;
  };
  double before = 0;
  for (int round = 0; round < 60; ++round) {
    if (round == 20) before = memory_MB();
    // Bytes that may look like HTTP, cut off anywhere.
    {
      asio::io_context io;
      tcp::socket socket = connect(io, port_);
      std::string text =
          "GET /socket?token=" + std::string(kToken) +
          " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
          "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
          "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
      if (round % 3 != 0) text = scrambled(text);
      if (round % 5 == 0) text.resize(random() % text.size());
      for (int i = 0; i < 300; ++i) text += static_cast<char>(random() % 256);
      beast::error_code ignored;
      asio::write(socket, asio::buffer(text), ignored);
    }
    // Requests in random order, whole and damaged.
    TestPage page(port_, kToken);
    for (int i = 0; i < 12 && page.open(); ++i) page.send(scrambled(words[random() % words.size()]));
  }
  expect_alive();
  EXPECT_LT(memory_MB() - before, 60);
}

TEST(Server, WithoutAPageASentence) {
  ServerOptions options;
  options.page = "/nowhere";
  EXPECT_THROW(Server server(options), Error);
}

}  // namespace
}  // namespace sinew::studio
