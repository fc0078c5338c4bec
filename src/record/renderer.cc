#include "record/renderer.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <utility>

#include "core/error.h"

namespace sinew {

namespace {

constexpr int kFloorTexels = 1024;    // of the floor's tile, along each side
constexpr double kFloorTileM = 2;     // length that the tile covers
constexpr double kFloorHalfM = 80;    // half the side of the floor
constexpr double kShadowHalfM = 2.6;  // half the side of the ground that gets shadows

// Pixels that are drawn, along each side.
std::pair<int, int> drawn_size(const RenderOptions& options) {
  return {static_cast<int>(std::lround(options.width * options.supersample)),
          static_cast<int>(std::lround(options.height * options.supersample))};
}

// Lights for a camera that looks along +Y; they turn with it. Several lights around the main direction blur
// the edge of a shadow, the more the farther its cause.
std::string lights_xml(int shadow_lights) {
  std::ostringstream xml;
  const int lights = std::max(shadow_lights, 1);
  for (int i = 0; i < lights; ++i) {
    const double around = 2 * kPi * i / lights, spread = lights > 1 ? 0.04 : 0;
    xml << "<light directional='true' castshadow='" << (shadow_lights > 0 ? "true" : "false")
        << "' pos='0 0 5' dir='" << 0.35 + spread * std::cos(around) << ' '
        << 0.40 + spread * std::sin(around) << " -1' ambient='0 0 0' diffuse='";
    for (const double channel : {0.55, 0.54, 0.52}) xml << channel / lights << ' ';
    xml << "' specular='";
    for (int k = 0; k < 3; ++k) xml << 0.22 / lights << ' ';
    xml << "'/>";
  }
  xml << "<light directional='true' castshadow='false' pos='0 0 5' dir='-0.7 -0.2 -0.4' ambient='0 0 0' "
         "diffuse='0.10 0.11 0.13' specular='0 0 0'/>";
  return xml.str();
}

// The studio as MJCF: background, floor, lights and the hulls that scenes ask for.
std::string studio_xml(const RenderOptions& options, const std::vector<std::vector<Vec3>>& hulls) {
  const auto [width, height] = drawn_size(options);
  // Round enough that no corner shows: a limb is a twentieth of the picture wide, a circle of n corners is
  // off by r (1 - cos(pi / n)).
  const int stacks = std::clamp(height / 60, 8, 20);
  std::ostringstream xml;
  xml << "<mujoco><visual><global offwidth='" << width << "' offheight='" << height << "'/>"
      << "<quality shadowsize='" << options.shadow_texels << "' offsamples='0' numslices='" << 2 * stacks
      << "' numstacks='" << stacks << "' numquads='1'/>"
      << "<map shadowclip='" << kShadowHalfM << "' fogstart='7' fogend='26' znear='0.02' zfar='200'/>"
      << "<rgba fog='0.905 0.925 0.945 1'/>"
      << "<headlight ambient='0.36 0.365 0.38' diffuse='0.27 0.27 0.27' specular='0.06 0.06 0.06'/></visual>"
      << "<statistic extent='1' center='0 0 1'/><asset>"
      << "<texture name='sky' type='skybox' builtin='gradient' rgb1='0.86 0.895 0.93' rgb2='0.905 0.925 "
         "0.945' width='64' height='384'/>"
      << "<texture name='floor' type='2d' builtin='flat' rgb1='1 1 1' width='" << kFloorTexels << "' height='"
      << kFloorTexels << "'/>"
      << "<material name='floor' texture='floor' texuniform='true' texrepeat='" << 1 / kFloorTileM << ' '
      << 1 / kFloorTileM << "' specular='0' shininess='0'/>";
  for (size_t i = 0; i < hulls.size(); ++i) {
    xml << "<mesh name='hull" << i << "' vertex='";
    for (const Vec3& p : hulls[i]) xml << p.x() << ' ' << p.y() << ' ' << p.z() << ' ';
    xml << "'/>";
  }
  xml << "</asset><worldbody>" << lights_xml(options.shadow_lights) << "<geom type='plane' size='"
      << kFloorHalfM << ' ' << kFloorHalfM << " 1' material='floor'/>";
  for (size_t i = 0; i < hulls.size(); ++i) xml << "<geom type='mesh' mesh='hull" << i << "'/>";
  xml << "</worldbody></mujoco>";
  return xml.str();
}

// Paints the floor's tile: a quiet checker of one-metre squares with a line on each metre and a fainter one
// on each half metre.
void paint_floor(mjModel* model, int texture) {
  uint8_t* texel = model->tex_rgb + model->tex_adr[texture];
  const double per_m = kFloorTexels / kFloorTileM;
  const auto line = [&](double x_texels, double period_m, double half_width_m) {
    const double x = x_texels / per_m / period_m;
    const double away = std::abs(x - std::round(x)) * period_m;
    return std::clamp((half_width_m - away) * per_m + 0.5, 0.0, 1.0);
  };
  for (int y = 0; y < kFloorTexels; ++y)
    for (int x = 0; x < kFloorTexels; ++x) {
      const bool odd = (static_cast<int>(x / per_m) + static_cast<int>(y / per_m)) % 2 != 0;
      const double base = odd ? 0.955 : 0.985;
      const double major = std::max(line(x + 0.5, 1, 0.009), line(y + 0.5, 1, 0.009));
      const double minor = std::max(line(x + 0.5, 0.5, 0.0035), line(y + 0.5, 0.5, 0.0035));
      const double shade = base * (1 - 0.30 * major) * (1 - 0.10 * minor * (1 - major));
      const double rgb[3] = {0.90 * shade, 0.93 * shade, 0.97 * shade};
      for (const double channel : rgb) *texel++ = static_cast<uint8_t>(std::lround(255 * channel));
    }
}

// Whether points span a solid that has a hull; flat ones are drawn as the box around them.
bool spans_solid(const std::vector<Vec3>& points) {
  if (points.size() < 4) return false;
  Vec3 mean = Vec3::Zero();
  for (const Vec3& p : points) mean += p / static_cast<double>(points.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : points) spread += (p - mean) * (p - mean).transpose();
  const Vec3 value = Eigen::SelfAdjointEigenSolver<Mat3>(spread, Eigen::EigenvaluesOnly).eigenvalues();
  return value.x() > 1e-6 * value.z() && value.z() > 0;
}

mjModel* compile_studio(const std::string& xml) {
  auto vfs = std::make_unique<mjVFS>();
  mj_defaultVFS(vfs.get());
  mj_makeEmptyFileVFS(vfs.get(), "studio.xml", static_cast<int>(xml.size()));
  std::memcpy(vfs->filedata[0], xml.data(), xml.size());
  char message[512] = "";
  mjModel* model = mj_loadXML("studio.xml", vfs.get(), message, sizeof message);
  mj_deleteVFS(vfs.get());
  if (!model) throw Error(std::string("the picture's studio cannot be built: ") + message);
  return model;
}

// While this lives, MuJoCo's complaints are errors; else it would ask for a key and end the process.
class ComplaintsAreErrors {
 public:
  ComplaintsAreErrors() { mju_user_error = complain; }
  ~ComplaintsAreErrors() { mju_user_error = before_; }
  ComplaintsAreErrors(const ComplaintsAreErrors&) = delete;
  ComplaintsAreErrors& operator=(const ComplaintsAreErrors&) = delete;

 private:
  static void complain(const char* words) { throw Error(std::string("no picture can be drawn: ") + words); }
  void (*before_)(const char*) = mju_user_error;
};

mjtGeom geom_type(ShapeType type) {
  switch (type) {
    case ShapeType::kSphere:
      return mjGEOM_SPHERE;
    case ShapeType::kCapsule:
      return mjGEOM_CAPSULE;
    case ShapeType::kBox:
      return mjGEOM_BOX;
    case ShapeType::kEllipsoid:
      return mjGEOM_ELLIPSOID;
    case ShapeType::kCylinder:
      return mjGEOM_CYLINDER;
    case ShapeType::kMesh:
      return mjGEOM_MESH;
    case ShapeType::kPlane:
      return mjGEOM_PLANE;
  }
  return mjGEOM_SPHERE;
}

}  // namespace

// The model with floor, lights and hulls, and what MuJoCo draws it with. Made anew when a scene brings a hull
// that was not seen before.
struct Renderer::Impl {
  RenderOptions options;
  std::unique_ptr<GlContext> gl;
  std::vector<std::vector<Vec3>> hulls;
  mjModel* model = nullptr;
  mjData* data = nullptr;
  mjvScene scene{};
  mjvGeom floor{};
  mjrContext context{};

  ~Impl() { release(); }

  void release() {
    if (!model) return;
    mjr_freeContext(&context);
    mjv_freeScene(&scene);
    mj_deleteData(data);
    mj_deleteModel(model);
    model = nullptr;
  }

  void build() {
    release();
    model = compile_studio(studio_xml(options, hulls));
    paint_floor(model, mj_name2id(model, mjOBJ_TEXTURE, "floor"));
    data = mj_makeData(model);
    mj_forward(model, data);
    mjv_defaultScene(&scene);
    mjv_makeScene(model, &scene, 4000);
    mjr_defaultContext(&context);
    const ComplaintsAreErrors guard;
    mjr_makeContext(model, &context, mjFONTSCALE_50);
    mjr_setBuffer(mjFB_OFFSCREEN, &context);
  }

  // The number of a hull, or -1 where the points have none. Sets `changed` when it is new.
  int hull_of(const std::vector<Vec3>& vertices, bool& changed) {
    if (!spans_solid(vertices)) return -1;
    const auto found = std::find(hulls.begin(), hulls.end(), vertices);
    if (found != hulls.end()) return static_cast<int>(found - hulls.begin());
    hulls.push_back(vertices);
    changed = true;
    return static_cast<int>(hulls.size()) - 1;
  }

  mjvGeom* next_geom() {
    if (scene.ngeom >= scene.maxgeom) throw Error("a picture has more than 4000 shapes");
    return scene.geoms + scene.ngeom++;
  }

  void add_geom(mjtGeom type, const Vec3& size, const Pose& X_WS, const Vec4& rgba) {
    const Mat3 R = X_WS.q.toRotationMatrix();
    Eigen::Matrix<double, 3, 3, Eigen::RowMajor> mat = R;
    const Eigen::Vector4f color = rgba.cast<float>();
    mjvGeom* geom = next_geom();
    mjv_initGeom(geom, type, size.data(), X_WS.p.data(), mat.data(), color.data());
    geom->rgba[3] = 1;
    geom->specular = 0.35F;
    geom->shininess = 0.35F;
  }

  // A plane with the floor's tile on it, its lines on the metres of its own axes, to the horizon about where
  // the camera looks.
  void add_ground(const Pose& X_WS, const Vec3& look_at, const Vec4& tint) {
    mjvGeom* geom = next_geom();
    *geom = floor;
    for (int k = 0; k < 3; ++k) geom->rgba[k] *= static_cast<float>(tint[k]);
    Vec3 middle = X_WS.inverse() * look_at;
    for (int axis = 0; axis < 2; ++axis) middle[axis] = kFloorTileM * std::round(middle[axis] / kFloorTileM);
    middle.z() = 0;
    Eigen::Map<Eigen::Vector3f>(geom->pos) = (X_WS * middle).cast<float>();
    Eigen::Map<Eigen::Matrix<float, 3, 3, Eigen::RowMajor>>(geom->mat) =
        X_WS.q.toRotationMatrix().cast<float>();
  }

  // The floor's tile on the shape that was added last.
  void put_metres() {
    mjvGeom& geom = scene.geoms[scene.ngeom - 1];
    geom.texid = floor.texid;
    geom.texuniform = floor.texuniform;
    std::copy(floor.texrepeat, floor.texrepeat + 2, geom.texrepeat);
  }

  void add_shape(const SceneShape& shape, const Vec3& look_at) {
    bool changed = false;
    if (shape.type == ShapeType::kPlane) {
      add_ground(shape.X_WS, look_at, shape.rgba);
    } else if (shape.type != ShapeType::kMesh) {
      add_geom(geom_type(shape.type), shape.size, shape.X_WS, shape.rgba);
      if (shape.metres) put_metres();
    } else if (const int hull = hull_of(shape.vertices, changed); hull >= 0) {
      // MuJoCo moved the mesh into its own axes; the studio's geom of it knows where those are.
      const mjtNum* p = model->geom_pos + 3 * (hull + 1);
      const mjtNum* q = model->geom_quat + 4 * (hull + 1);
      add_geom(mjGEOM_MESH, Vec3::Ones(), shape.X_WS * Pose{Vec3(p), Quat(q[0], q[1], q[2], q[3])},
               shape.rgba);
      scene.geoms[scene.ngeom - 1].dataid = 2 * hull + 1;
    } else if (!shape.vertices.empty()) {
      Eigen::AlignedBox3d box;
      for (const Vec3& v : shape.vertices) box.extend(v);
      add_geom(mjGEOM_BOX, (0.5 * box.sizes()).cwiseMax(1e-3),
               shape.X_WS * Pose{box.center(), Quat::Identity()}, shape.rgba);
    }
  }

  // Points MuJoCo's two cameras as ours.
  void set_camera(const Camera& camera) {
    const CameraFrame frame = camera_frame(camera);
    const double near = std::min(0.1, 0.2 * camera.distance_m);
    const double top = near * std::tan(0.5 * radians(camera.fov_deg));
    for (mjvGLCamera& out : scene.camera) {
      Eigen::Map<Eigen::Vector3f>(out.pos) = frame.position.cast<float>();
      Eigen::Map<Eigen::Vector3f>(out.forward) = frame.forward.cast<float>();
      Eigen::Map<Eigen::Vector3f>(out.up) = frame.up.cast<float>();
      out.frustum_center = 0;
      out.frustum_bottom = static_cast<float>(-top);
      out.frustum_top = static_cast<float>(top);
      out.frustum_near = static_cast<float>(near);
      out.frustum_far = 200;
    }
  }

  // Floor and lights stand where the camera looks: shadows are fine there, and the grid stays on its metres.
  void place_studio(const Scene& what) {
    mjvCamera camera;
    mjv_defaultCamera(&camera);
    mjvOption option;
    mjv_defaultOption(&option);
    mjv_updateScene(model, data, &option, nullptr, &camera, mjCAT_ALL, &scene);
    floor = scene.geoms[0];
    scene.ngeom = 0;
    const Vec3& centre = what.camera.look_at;
    if (what.floor) add_ground(Pose(), centre, Vec4::Ones());
    const Eigen::AngleAxisf turn(static_cast<float>(radians(what.camera.azimuth_deg - 90)),
                                 Eigen::Vector3f::UnitZ());
    for (int i = 0; i < scene.nlight; ++i) {
      mjvLight& light = scene.lights[i];
      if (light.headlight) continue;
      Eigen::Map<Eigen::Vector3f> direction(light.dir);
      direction = turn * direction;
      const Vec3 ground = centre - Vec3(0, 0, 0.4);
      Eigen::Map<Eigen::Vector3f>(light.pos) = (ground - 6 * direction.cast<double>()).cast<float>();
    }
    set_camera(what.camera);
    scene.flags[mjRND_SHADOW] = options.shadow_lights > 0;
    scene.flags[mjRND_FOG] = 1;
    scene.flags[mjRND_HAZE] = 0;
    scene.flags[mjRND_SKYBOX] = 1;
    scene.flags[mjRND_REFLECTION] = 0;
  }

  // What MuJoCo drew, in pixels as drawn, and how deep each lies; rows from bottom to top.
  struct Drawn {
    Image image;
    std::vector<float> depth;
  };
  Drawn shoot(bool with_depth) {
    const auto [width, height] = drawn_size(options);
    const mjrRect all = {0, 0, width, height};
    mjr_render(all, &scene, &context);
    Drawn drawn{Image(width, height), {}};
    if (with_depth) drawn.depth.resize(static_cast<size_t>(width) * static_cast<size_t>(height));
    mjr_readPixels(drawn.image.rgb.data(), with_depth ? drawn.depth.data() : nullptr, all, &context);
    return drawn;
  }

  // Ghosts are drawn solid on a picture of their own, which is laid over the first wherever they are in
  // front: no seams between their shapes. They cast no shadows.
  void lay_ghosts(const Scene& what, Drawn& drawn, double alpha) {
    scene.ngeom = 0;
    scene.flags[mjRND_SHADOW] = scene.flags[mjRND_SKYBOX] = 0;
    for (const SceneShape& shape : what.shapes)
      if (shape.rgba.w() < 1) add_shape(shape, what.camera.look_at);
    const Drawn ghosts = shoot(true);
    const int weight = static_cast<int>(std::lround(256 * alpha));
    for (size_t i = 0; i < drawn.depth.size(); ++i) {
      if (ghosts.depth[i] >= drawn.depth[i]) continue;
      for (size_t k = 3 * i; k < 3 * i + 3; ++k)
        drawn.image.rgb[k] = static_cast<uint8_t>(
            (drawn.image.rgb[k] * (256 - weight) + ghosts.image.rgb[k] * weight + 128) >> 8);
    }
  }

  Image draw(const Scene& what, double ghost_alpha) {
    place_studio(what);
    for (const SceneShape& shape : what.shapes)
      if (shape.rgba.w() >= 1) add_shape(shape, what.camera.look_at);
    Drawn drawn = shoot(ghost_alpha < 1);
    if (ghost_alpha < 1) lay_ghosts(what, drawn, ghost_alpha);

    // From top to bottom, in pixels as shown, without steps at the edges.
    Image image(drawn.image.width, drawn.image.height);
    const size_t row = 3 * static_cast<size_t>(image.width);
    for (int y = 0; y < image.height; ++y)
      std::memcpy(image.at(0, y), drawn.image.at(0, image.height - 1 - y), row);
    if (options.smooth_edges) image = smooth_edges(image);
    return resize(image, options.width, options.height);
  }
};

namespace {

// Arrows and labels are drawn over the picture.
void draw_over(Image& image, const Scene& scene) {
  for (const SceneArrow& arrow : scene.arrows) {
    const Vec3 from = project(scene.camera, image.width, image.height, arrow.from);
    const Vec3 to = project(scene.camera, image.width, image.height, arrow.to);
    if (from.z() < 0.05 || to.z() < 0.05) continue;
    const double pixels_per_m =
        0.5 * image.height / std::tan(0.5 * radians(scene.camera.fov_deg)) / (0.5 * (from.z() + to.z()));
    const auto channel = [&](int i) { return static_cast<uint8_t>(std::lround(255 * arrow.rgba[i])); };
    draw_arrow(image, from.x(), from.y(), to.x(), to.y(), std::max(2 * arrow.radius_m * pixels_per_m, 1.5),
               {channel(0), channel(1), channel(2)});
  }
  for (const SceneLabel& label : scene.labels) {
    const Vec3 seen = project(scene.camera, image.width, image.height, label.at);
    if (seen.z() > 0) draw_text(image, seen.x(), seen.y(), label.text, label.style);
  }
}

}  // namespace

RenderOptions fine_render_options(int width, int height) {
  RenderOptions options;
  options.width = width;
  options.height = height;
  options.supersample = 2;
  options.smooth_edges = false;
  options.shadow_lights = 4;
  options.shadow_texels = 2048;
  return options;
}

Renderer::Renderer(const RenderOptions& options) : impl_(std::make_unique<Impl>()) {
  const auto [width, height] = drawn_size(options);
  if (options.width < 1 || options.height < 1 || !(options.supersample >= 1) || options.supersample > 4 ||
      width > 8192 || height > 8192)
    throw Error("a picture of " + std::to_string(options.width) + " x " + std::to_string(options.height) +
                " pixels cannot be drawn");
  impl_->options = options;
  impl_->gl = make_gl_context(options.backend);
  impl_->build();
}

Renderer::~Renderer() {
  if (impl_->gl) impl_->gl->make_current();
}

const RenderOptions& Renderer::options() const { return impl_->options; }

std::string Renderer::backend() const { return impl_->gl->name(); }

Image Renderer::draw(const Scene& scene) {
  impl_->gl->make_current();

  // New hulls are compiled into the studio before anything is drawn.
  bool changed = false;
  double alpha = 1;
  for (const SceneShape& shape : scene.shapes) {
    if (shape.type == ShapeType::kMesh) impl_->hull_of(shape.vertices, changed);
    if (shape.rgba.w() < 1) alpha = std::min(alpha, shape.rgba.w());
  }
  if (changed) impl_->build();

  Image image = impl_->draw(scene, alpha);
  draw_over(image, scene);
  return image;
}

}  // namespace sinew
