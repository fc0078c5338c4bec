#include "studio/request.h"

#include <gtest/gtest.h>

#include <random>

#include "core/error.h"

namespace sinew::studio {
namespace {

std::string refusal(const std::string& text) {
  try {
    read_request(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Request, ReadsWhatAPageSends) {
  EXPECT_TRUE(std::get<Pause>(read_request(R"({"type":"pause","on":true})")).on);
  EXPECT_EQ(std::get<Seek>(read_request(R"({"type":"seek","time":1.5})")).clock_s, 1.5);
  const auto hold = std::get<Hold>(
      read_request(R"({"type":"hold","performer":1,"body":3,"point":[0,0.1,0],"target":[1,2,3]})"));
  EXPECT_EQ(hold.performer, 1);
  EXPECT_EQ(hold.body, 3);
  EXPECT_EQ(hold.target_W, Vec3(1, 2, 3));
  const auto choose = std::get<Choose>(read_request(R"({"type":"choose","method":"paper","gain":2})"));
  EXPECT_EQ(choose.method, Method::kPaper);
  EXPECT_EQ(choose.gain, 2);
  EXPECT_FALSE(choose.clip);
  const auto morph = std::get<Morph>(read_request(R"({"type":"morph","to":"child","seconds":4})"));
  EXPECT_EQ(morph.to, "child");
  EXPECT_EQ(morph.seconds, 4);
}

TEST(Request, RefusesWithASentence) {
  for (const char* text : {"",
                           "[]",
                           "null",
                           "{",
                           "{\"type\":7}",
                           "{\"type\":\"fly\"}",
                           "{\"type\":\"pause\"}",
                           "{\"type\":\"pause\",\"on\":1}",
                           "{\"type\":\"speed\",\"factor\":1e9}",
                           "{\"type\":\"speed\",\"factor\":null}",
                           "{\"type\":\"seek\",\"time\":-1}",
                           "{\"type\":\"hold\",\"body\":0.5,\"point\":[0,0,0],\"target\":[0,0,0]}",
                           "{\"type\":\"hold\",\"body\":1,\"point\":[0,0],\"target\":[0,0,0]}",
                           "{\"type\":\"hold\",\"body\":1,\"point\":[0,0,\"x\"],\"target\":[0,0,0]}",
                           "{\"type\":\"push\",\"body\":1,\"force\":[1e300,0,0],\"seconds\":1}",
                           "{\"type\":\"export\",\"format\":\"exe\"}",
                           "{\"type\":\"choose\",\"method\":\"magic\"}",
                           "{\"type\":\"morph\",\"to\":\"child\",\"seconds\":0}",
                           "{\"type\":\"adapt\"}",
                           "{\"type\":\"gallery\",\"scene\":\"\"}"})
    EXPECT_NE(refusal(text), "") << text;
}

TEST(Request, BoundsSizeAndDepth) {
  EXPECT_NE(refusal(std::string(kLargestRequest_bytes + 1, ' ')), "");
  EXPECT_NE(refusal(std::string(10000, '[')), "");
  std::string deep = "1";
  for (int i = 0; i < 2000; ++i) deep = "{\"a\":" + deep + "}";
  EXPECT_NE(refusal(deep), "");
  EXPECT_NE(refusal("{\"type\":\"gallery\",\"scene\":\"" + std::string(5000, 'a') + "\"}"), "");
}

// Bytes at random, and good requests with bytes changed: read or refused, never anything else.
TEST(Request, AnyBytesAreReadOrRefused) {
  std::mt19937 random(1);
  const std::string good = R"({"type":"hold","performer":0,"body":3,"point":[0,0.1,0],"target":[1,2,3]})";
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    if (i % 2 == 0) text.resize(random() % 200);
    const size_t changes = 1 + random() % 6;
    for (size_t k = 0; k < changes && !text.empty(); ++k)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    refused += !refusal(text).empty();
  }
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace sinew::studio
