#include "motion/load.h"

#include <algorithm>

#include "core/error.h"
#include "core/files.h"
#include "motion/text_scanner.h"

namespace sinew {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMaxTextBytes = size_t{512} << 20;

std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

std::vector<fs::path> siblings_with(const fs::path& path, const std::string& ending) {
  std::vector<fs::path> out;
  std::error_code ec;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  fs::directory_iterator it(folder, ec), end;
  for (; !ec && it != end; it.increment(ec))
    if (ending_of(it->path()) == ending) out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

// The other half of an ASF and AMC pair: of the same name, of the name before '_' ("02.asf" of "02_01.amc"),
// or the only one in the folder.
fs::path partner_of(const fs::path& path, const std::string& ending) {
  const std::vector<fs::path> found = siblings_with(path, ending);
  const std::string stem = path.stem().string();
  for (const fs::path& file : found)
    if (file.stem() == stem) return file;
  const auto subject = [](const std::string& name) { return name.substr(0, name.find('_')); };
  std::vector<fs::path> alike;
  for (const fs::path& file : found)
    if (subject(file.stem().string()) == subject(stem)) alike.push_back(file);
  if (alike.size() == 1) return alike[0];
  if (found.size() == 1) return found[0];
  throw Error(path.string(), 0,
              (found.empty() ? "there is no " : "it is not clear which of the ") + ending +
                  (found.empty() ? " file beside it, and neither says anything without the other"
                                 : " files beside it belongs to it"));
}

ImportedClip read_json(const std::string& text, const fs::path& path, const ImportOptions& options) {
  if (text.find("\"sinew_keyframes\"") != text.npos) return read_keyframes(text, path.string(), options);
  if (text.find("\"Frames\"") != text.npos) return read_deepmimic(text, path.string(), options);
  throw Error(path.string(), 0,
              "this JSON file is neither a keyframe motion (sinew_keyframes) nor a DeepMimic clip (Frames)");
}

}  // namespace

ImportedClip load_clip(const fs::path& path, const ImportOptions& options) {
  const std::string ending = ending_of(path);
  std::error_code ec;
  if (!fs::exists(path, ec)) throw Error(path.string(), 0, "there is no such file");

  // A skeleton and its motion in two files.
  if (ending == ".amc" || ending == ".asf") {
    const fs::path other = partner_of(path, ending == ".amc" ? ".asf" : ".amc");
    const fs::path& asf = ending == ".asf" ? path : other;
    const fs::path& amc = ending == ".amc" ? path : other;
    return read_asf_amc(read_file(asf, kMaxTextBytes), asf.string(), read_file(amc, kMaxTextBytes),
                        amc.string(), options);
  }
  if (ending == ".gltf" || ending == ".glb" || ending == ".fbx") return read_scene(path, options);
  if (ending == ".bvh") return read_bvh(read_file(path, kMaxTextBytes), path.string(), options);

  // Other endings: what the text begins with.
  if (ending == ".txt" || ending == ".json" || ending.empty()) {
    const std::string text = read_file(path, kMaxTextBytes);
    TextScanner words(text, path.string());
    const std::string_view first = words.peek();
    if (first.starts_with('{') || first.starts_with('[')) return read_json(text, path, options);
    if (same_word(first, "HIERARCHY")) return read_bvh(text, path.string(), options);
    throw Error(path.string(), words.line(),
                "this is no motion: expected HIERARCHY (BVH) or { (DeepMimic, keyframes), found '" +
                    quotable(first) + "'");
  }
  return read_scene(path, options);
}

}  // namespace sinew
