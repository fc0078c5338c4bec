#include "record/recording.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "core/files.h"
#include "record/small_recording.h"

namespace sinew {
namespace {

void expect_same(const std::vector<ExternalForce>& a, const std::vector<ExternalForce>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].body, b[i].body);
    EXPECT_EQ(a[i].force_W, b[i].force_W);
    EXPECT_EQ(a[i].p_W, b[i].p_W);
    EXPECT_EQ(a[i].torque_W, b[i].torque_W);
  }
}

void expect_same(const RecordingFrame& a, const RecordingFrame& b) {
  EXPECT_EQ(a.time_s, b.time_s);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
  ASSERT_EQ(a.q_reference.size(), b.q_reference.size());
  EXPECT_EQ(a.q_reference, b.q_reference);
  EXPECT_EQ(a.torque, b.torque);
  ASSERT_EQ(a.contacts.size(), b.contacts.size());
  for (size_t i = 0; i < a.contacts.size(); ++i) {
    const Contact &x = a.contacts[i], &y = b.contacts[i];
    EXPECT_EQ(std::tie(x.body, x.shape, x.other_shape, x.world_shape, x.depth_m),
              std::tie(y.body, y.shape, y.other_shape, y.world_shape, y.depth_m));
    EXPECT_EQ(x.p_W, y.p_W);
    EXPECT_EQ(x.normal_W, y.normal_W);
    EXPECT_EQ(x.force_W, y.force_W);
  }
  expect_same(a.pushes, b.pushes);
  expect_same(a.helping, b.helping);
  EXPECT_EQ(a.momentum_rate.linear, b.momentum_rate.linear);
  EXPECT_EQ(a.momentum_rate.angular, b.momentum_rate.angular);
  ASSERT_EQ(a.props.size(), b.props.size());
  for (size_t i = 0; i < a.props.size(); ++i) {
    EXPECT_EQ(a.props[i].p, b.props[i].p);
    EXPECT_EQ(a.props[i].q.coeffs(), b.props[i].q.coeffs());
  }
  EXPECT_EQ(a.max_depth_m, b.max_depth_m);
  EXPECT_EQ(a.cost, b.cost);
}

void expect_same(const Recording& a, const Recording& b) {
  EXPECT_EQ(std::tie(a.command, a.clip, a.engine, a.seed, a.step_s, a.frame_time_s, a.diverged),
            std::tie(b.command, b.clip, b.engine, b.seed, b.step_s, b.frame_time_s, b.diverged));
  EXPECT_EQ(a.character.name, b.character.name);
  ASSERT_EQ(a.character.bodies.size(), b.character.bodies.size());
  for (size_t i = 0; i < a.character.bodies.size(); ++i)
    EXPECT_NEAR(a.character.bodies[i].mass_kg, b.character.bodies[i].mass_kg, 1e-9);
  EXPECT_EQ(a.world.name, b.world.name);
  EXPECT_EQ(a.world.shapes.size(), b.world.shapes.size());
  ASSERT_EQ(a.world.props.size(), b.world.props.size());
  for (size_t i = 0; i < a.world.props.size(); ++i) EXPECT_EQ(a.world.props[i].name, b.world.props[i].name);
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (size_t i = 0; i < a.frames.size(); ++i) expect_same(a.frames[i], b.frames[i]);
  ASSERT_EQ(a.events.size(), b.events.size());
  for (size_t i = 0; i < a.events.size(); ++i)
    EXPECT_EQ(std::tie(a.events[i].time_s, a.events[i].what), std::tie(b.events[i].time_s, b.events[i].what));
}

// The sentence with which bytes are refused; empty if they are not.
std::string refusal(const std::string& bytes) {
  try {
    decode_recording(bytes, "walk.sinew");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

uint32_t crc_of(const std::string& bytes) {
  uint32_t crc = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320U : crc >> 1;
  }
  return ~crc;
}

// Makes size and checksum right again after a change.
std::string sealed(std::string bytes) {
  bytes.resize(bytes.size() - 4);
  const uint64_t size = bytes.size() + 4;
  std::memcpy(bytes.data() + 12, &size, sizeof size);
  const uint32_t crc = crc_of(bytes);
  bytes.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  return bytes;
}

const std::string kOldFile = std::string(SINEW_SOURCE_DIR) + "/tests/data/recording-v1.sinew";

TEST(Recording, ComesBackAsItWas) {
  const Recording recording = make_small_recording();
  const std::string bytes = encode_recording(recording);
  ASSERT_TRUE(is_recording(bytes));
  expect_same(recording, decode_recording(bytes, "walk.sinew"));

  // What was read once is written the same again.
  const std::string again = encode_recording(decode_recording(bytes, "walk.sinew"));
  EXPECT_TRUE(encode_recording(decode_recording(again, "walk.sinew")) == again);
}

TEST(Recording, WithoutFramesComesBackToo) {
  Recording recording = make_small_recording();
  recording.frames.clear();
  expect_same(recording, decode_recording(encode_recording(recording), "walk.sinew"));
}

TEST(Recording, CoordinatesAreThoseOfTheFrames) {
  const Recording recording = make_small_recording();
  const auto q = coordinates(recording);
  ASSERT_EQ(q.size(), 3u);
  EXPECT_EQ(q[2], recording.frames[2].q);
}

// Set SINEW_WRITE_OLD_RECORDING to write the file anew; it was made when version 1 was.
TEST(Recording, FilesOfVersion1AreRead) {
  if (std::getenv("SINEW_WRITE_OLD_RECORDING"))
    write_file(kOldFile, encode_recording(make_small_recording()));
  expect_same(make_small_recording(), decode_recording(read_file(kOldFile), kOldFile));
}

TEST(Recording, WhatIsNoneIsRefused) {
  EXPECT_FALSE(is_recording("HIERARCHY"));
  EXPECT_EQ(refusal("HIERARCHY"), "walk.sinew: is no recording of sinew");
  EXPECT_EQ(refusal(""), "walk.sinew: is no recording of sinew");
}

TEST(Recording, LaterVersionsAreRefused) {
  std::string bytes = encode_recording(make_small_recording());
  bytes[8] = 2;
  EXPECT_EQ(refusal(sealed(bytes)),
            "walk.sinew: is a recording of version 2; this sinew reads up to version 1");
}

TEST(Recording, CutAtAnyPlaceIsRefused) {
  const std::string bytes = encode_recording(make_small_recording());
  for (size_t size = 8; size < bytes.size(); size += size < 200 ? 1 : 97)
    EXPECT_EQ(refusal(bytes.substr(0, size)), "walk.sinew: is a recording that was cut short") << size;
}

TEST(Recording, AnyChangedByteIsRefused) {
  const std::string bytes = encode_recording(make_small_recording());
  for (size_t at = 20; at < bytes.size(); at += 41) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    EXPECT_EQ(refusal(changed), "walk.sinew: is a recording that was damaged: its checksum is not right")
        << at;
  }
}

// With a right checksum nothing but the bytes themselves speak against absurd counts: every 4 bytes of the
// file become a huge number in turn.
TEST(Recording, AbsurdCountsTakeNoMemory) {
  Recording recording = make_small_recording();
  recording.frames.resize(1);
  const std::string bytes = encode_recording(recording);
  const size_t frames = bytes.find("frames", bytes.find("</mujoco"));
  ASSERT_NE(frames, std::string::npos);
  int refused = 0;
  for (size_t at = frames + 6; at + 8 < bytes.size(); at += 4) {
    std::string changed = bytes;
    const uint32_t huge = 0x7FFFFFF0U;
    std::memcpy(changed.data() + at, &huge, sizeof huge);
    refused += !refusal(sealed(changed)).empty();
  }
  EXPECT_GT(refused, 20);
}

TEST(Recording, ChunksOfLaterVersionsArePassedOver) {
  const Recording recording = make_small_recording();
  std::string bytes = encode_recording(recording);
  std::string chunk(4, '\0');
  chunk[0] = 5;
  chunk += "heart" + std::string(8, '\0') + "beat";
  chunk[9] = 4;
  bytes.insert(20, chunk);
  expect_same(recording, decode_recording(sealed(bytes), "walk.sinew"));
}

TEST(Recording, NothingThatIsNotFiniteIsWritten) {
  const double bad[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()};
  const std::vector<void (*)(Recording&, double)> spoil = {
      [](Recording& r, double x) { r.frames[1].q[9] = x; },
      [](Recording& r, double x) { r.frames[1].v[3] = x; },
      [](Recording& r, double x) { r.frames[1].q_reference[2] = x; },
      [](Recording& r, double x) { r.frames[1].torque[7] = x; },
      [](Recording& r, double x) { r.frames[0].contacts[0].force_W[1] = x; },
      [](Recording& r, double x) { r.frames[0].contacts[0].depth_m = x; },
      [](Recording& r, double x) { r.frames[2].pushes[0].p_W[0] = x; },
      [](Recording& r, double x) { r.frames[2].helping[0].torque_W[0] = x; },
      [](Recording& r, double x) { r.frames[2].momentum_rate.angular[0] = x; },
      [](Recording& r, double x) { r.frames[2].props[0].p[0] = x; },
      [](Recording& r, double x) { r.frames[2].cost = x; },
      [](Recording& r, double x) { r.events[0].time_s = x; },
      [](Recording& r, double x) { r.step_s = x; }};
  for (const double value : bad)
    for (size_t i = 0; i < spoil.size(); ++i) {
      Recording recording = make_small_recording();
      spoil[i](recording, value);
      EXPECT_THROW(encode_recording(recording), Error) << i;
    }
}

TEST(Recording, WhatDoesNotFitTheCharacterIsNotWritten) {
  Recording recording = make_small_recording();
  recording.frames[0].contacts[0].world_shape = 9;
  EXPECT_THROW(encode_recording(recording), Error);
  recording = make_small_recording();
  recording.frames[1].q.conservativeResize(4);
  EXPECT_THROW(encode_recording(recording), Error);
  recording = make_small_recording();
  recording.frames[1].q.segment<4>(3).setZero();
  EXPECT_THROW(encode_recording(recording), Error);
}

}  // namespace
}  // namespace sinew
