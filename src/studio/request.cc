#include "studio/request.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "core/error.h"

namespace sinew::studio {

namespace {

using Json = nlohmann::json;

constexpr size_t kLongestWord = 200;
constexpr double kFarthest_m = 1e4;
constexpr int kMostPerformers = 16, kMostBodies = 1000;

// Brackets inside strings count as well, which only makes it stricter.
void check_depth(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    depth += (c == '[' || c == '{') - (c == ']' || c == '}');
    if (depth > kDeepestRequest) throw Error("the request nests too deep");
  }
}

// The fields of a request.
class Fields {
 public:
  explicit Fields(const Json& json) : json_(json) {}

  bool has(const char* name) const { return json_.contains(name) && !json_[name].is_null(); }

  double number(const char* name, double low, double high) const {
    const Json& value = at(name);
    if (!value.is_number()) refuse(name, "must be a number");
    const double x = value.get<double>();
    if (!(x >= low && x <= high)) refuse(name, "is out of range");
    return x;
  }
  int whole(const char* name, int most) const {
    const double x = has(name) ? number(name, 0, most) : 0;
    if (x != std::floor(x)) refuse(name, "must be a whole number");
    return static_cast<int>(x);
  }
  bool flag(const char* name) const {
    if (!at(name).is_boolean()) refuse(name, "must be true or false");
    return at(name).get<bool>();
  }
  std::string word(const char* name) const {
    if (!at(name).is_string()) refuse(name, "must be a word");
    const auto& text = at(name).get_ref<const std::string&>();
    if (text.empty() || text.size() > kLongestWord) refuse(name, "is too long or empty");
    return text;
  }
  Vec3 vector(const char* name, double most) const {
    const Json& value = at(name);
    if (!value.is_array() || value.size() != 3) refuse(name, "must be three numbers");
    Vec3 out;
    for (int i = 0; i < 3; ++i) {
      const Json& x = value[static_cast<size_t>(i)];
      if (!x.is_number()) refuse(name, "must be three numbers");
      out[i] = x.get<double>();
    }
    if (!(out.cwiseAbs().maxCoeff() <= most)) refuse(name, "is out of range");
    return out;
  }
  int performer() const { return whole("performer", kMostPerformers); }
  int body() const { return whole("body", kMostBodies); }

  std::optional<double> maybe_number(const char* name, double low, double high) const {
    return has(name) ? std::optional(number(name, low, high)) : std::nullopt;
  }
  std::optional<bool> maybe_flag(const char* name) const {
    return has(name) ? std::optional(flag(name)) : std::nullopt;
  }
  std::optional<std::string> maybe_word(const char* name) const {
    return has(name) ? std::optional(word(name)) : std::nullopt;
  }

 private:
  const Json& at(const char* name) const {
    if (!json_.contains(name)) refuse(name, "is missing");
    return json_[name];
  }
  [[noreturn]] static void refuse(const char* name, const char* why) {
    throw Error(std::string("request: '") + name + "' " + why);
  }
  const Json& json_;
};

Request read_choose(const Fields& in) {
  Choose out;
  out.performer = in.performer();
  out.clip = in.maybe_word("clip");
  out.character = in.maybe_word("character");
  out.loop = in.maybe_flag("loop");
  out.gain = in.maybe_number("gain", 0.1, 10);
  out.strength = in.maybe_number("strength", 0.05, 10);
  if (const auto word = in.maybe_word("method")) {
    out.method = method_from_name(*word);
    if (!out.method) throw Error("there is no method of that name: preview, paper, servo and control are");
  }
  return out;
}

Request read_surround(const Fields& in) {
  return Surround{in.maybe_word("world"), in.maybe_number("slope", -20, 20),
                  in.maybe_number("friction", 0.02, 3), in.maybe_number("ball", 0.1, 20)};
}

Request read_export(const Fields& in) {
  const Export out{in.performer(), in.word("format")};
  for (const char* format : {"bvh", "glb", "mp4", "control"})
    if (out.format == format) return out;
  throw Error("a take can be exported as bvh, glb or mp4");
}

using Reader = std::function<Request(const Fields&)>;
const std::map<std::string, Reader>& readers() {
  static const std::map<std::string, Reader> kReaders = {
      {"pause", [](const Fields& in) { return Pause{in.flag("on")}; }},
      {"step", [](const Fields& in) { return Step{std::max(1, in.whole("frames", 60))}; }},
      {"speed", [](const Fields& in) { return Speed{in.number("factor", 0.02, 4)}; }},
      {"reset", [](const Fields&) { return Reset{}; }},
      {"seek", [](const Fields& in) { return Seek{in.number("time", 0, 1e9)}; }},
      {"rewind", [](const Fields& in) { return Rewind{in.number("time", 0, 1e9)}; }},
      {"repeat",
       [](const Fields& in) {
         return Repeat{in.maybe_flag("motions"), in.maybe_flag("falls")};
       }},
      {"choose", read_choose},
      {"surround", read_surround},
      {"add", [](const Fields&) { return Add{}; }},
      {"remove", [](const Fields& in) { return Remove{in.performer()}; }},
      {"gallery", [](const Fields& in) { return Gallery{in.word("scene")}; }},
      {"hold",
       [](const Fields& in) {
         return Hold{in.performer(), in.body(), in.vector("point", 10), in.vector("target", kFarthest_m)};
       }},
      {"release", [](const Fields&) { return Release{}; }},
      {"push",
       [](const Fields& in) {
         return Shove{in.performer(), in.body(), in.vector("force", 3000), in.number("seconds", 0.01, 2)};
       }},
      {"throw",
       [](const Fields& in) {
         return Ball{in.performer(), in.vector("from", kFarthest_m), in.vector("to", kFarthest_m),
                     in.number("speed", 0.5, 30)};
       }},
      {"export", read_export},
      {"reconstruct", [](const Fields& in) { return Reconstruct{in.performer()}; }},
      {"adapt",
       [](const Fields& in) {
         return Adapt{in.performer(), in.word("to")};
       }},
      {"cancel", [](const Fields&) { return Cancel{}; }},
      {"morph",
       [](const Fields& in) {
         return Morph{in.performer(), in.word("to"), in.number("seconds", 0.5, 60)};
       }},
      {"turn_back", [](const Fields& in) { return TurnBack{in.performer()}; }},
      {"ping", [](const Fields& in) { return Ping{in.number("stamp", 0, 1e15)}; }},
  };
  return kReaders;
}

}  // namespace

Request read_request(std::string_view text) {
  if (text.size() > kLargestRequest_bytes) throw Error("the request is too large");
  check_depth(text);
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) throw Error("the request is no JSON object");
  const Fields fields(json);
  const auto reader = readers().find(fields.word("type"));
  if (reader == readers().end()) throw Error("there is no request of that type");
  return reader->second(fields);
}

}  // namespace sinew::studio
