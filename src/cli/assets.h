#pragma once

#include <filesystem>

namespace sinew::cli {

// The folder with characters/ and motions/ in it. The first of these that exists: the environment variable
// SINEW_ASSETS, share/sinew beside the program's own folder (installed), assets/ above it (in a build
// folder), the source tree that it was built from. Throws Error if there is none, or if SINEW_ASSETS names no
// folder.
std::filesystem::path assets_folder();

// The folder of the built page of `sinew studio`: page/ among the installed assets, or page/ beside
// the program in a build folder. Empty if the page was not built.
std::filesystem::path page_folder();

}  // namespace sinew::cli
