#pragma once

#include "floe/graph/fault.hpp"
#include "floe/graph/parameter.hpp"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace floe::graph {

/// The type of nodes that instance a subgraph of their document, or of another file.
inline constexpr std::string_view kSubgraphType = "floe.subgraph";

/// One entry of a parameter of type Choice.
struct Choice {
    std::string value;
    std::string label;
    std::string help;
};

/// A value that another parameter of the node must have for a parameter to matter.
struct Condition {
    std::string parameter;           ///< of type Choice or Bool
    std::vector<std::string> values; ///< one of them; of a Bool "true" or "false"
};

/// What a parameter whose value is 0 has in place of it, so that one number scales a scene.
struct Automatic {
    std::string follows;  ///< a parameter of solvers that cannot change over time: "cellSize"
    double times = 1;     ///< of the smallest among the solvers that the node's outputs lead to
    double otherwise = 0; ///< where they lead to none
};

/// What a parameter is taken hold of by in a viewport. Lengths and places are in the space that the
/// node's numbers are in [m]; rotations turn about the node's place, which is Position plus Pivot.
enum class Handle {
    None,
    Position,  ///< a Vector; a node may have several, the first is its place
    Rotation,  ///< a Vector: angles about x, then y, then z [degrees]
    Scale,     ///< a Vector along the node's own axes, or a Float
    Size,      ///< whole lengths of a box around the place; of a Float, the same along x and z
    Radius,    ///< a Float: of what is round about the node's own y
    Height,    ///< a Float: whole length along the node's own y
    Pivot,     ///< a Vector: what Rotation and Scale leave where it is
    Direction, ///< a Vector that is turned about the place, or the middle of the view; keeps its
               ///< length
    Width,     ///< a Float: whole length along the node's own x
    Length,    ///< a Float: whole length along the node's own z
    Rise,      ///< a Float: along the node's own y from the place on, or below it
    Tube,      ///< a Float: radius of the tube of a ring, whose own radius is Radius
    Point      ///< a Vector that Rotation, Scale and Position move with the node
};

/// The handle that a parameter has unless its manifest says otherwise: by its name and type.
Handle handleOf(std::string_view name, ValueType type);

/// Maximum length of a chain of conditions.
inline constexpr int kMaxConditionChain = 16;

/// A parameter as its manifest declares it.
struct ParameterSpec {
    std::string name;
    ValueType type = ValueType::Float;
    ParameterValue defaultValue;
    std::optional<double> min, max;         ///< hard limits; of each component for Vector, Colour
    std::optional<double> softMin, softMax; ///< ends of the slider
    std::string unit;                       ///< "m", "Pa", "deg"; empty: none
    std::string label, help, widget, group;
    bool live = false;  ///< may change while the solver runs without starting over
    bool paces = false; ///< of a live Float: the time that a frame simulates is in proportion to it
    bool animatable = true;              ///< keyframes and expressions are allowed
    std::vector<std::string> extensions; ///< of files that a Path may name: "obj"; empty: any
    std::vector<Choice> choices;
    std::vector<Condition> shownWhen;   ///< all must hold for it to matter; empty: it always does
    std::optional<Automatic> automatic; ///< of a Float; none: its 0 is a 0
    Handle handle = Handle::None;       ///< for the viewport
    std::string about; ///< of a length: the Position or Point it is around; empty: the place
    std::string keeps; ///< of a Bool: the attribute of particles that it outputs; on where wanted
};

/// An attribute that an input wants its particles to have.
struct Want {
    std::string attribute;       ///< its name; or
    std::string parameter;       ///< a String of the node that names it
    std::vector<Condition> when; ///< of the node's parameters
};

/// An input or output of a node type.
struct Socket {
    std::string name, label, help;
    std::vector<std::string> kinds; ///< what may flow; a link needs one kind in common
    bool required = false;          ///< inputs: must be linked
    bool multiple = false;          ///< inputs: takes several links, in link order
    std::vector<Want> wants;        ///< inputs: what the node before has to output
    bool moved = false; ///< inputs: what comes here appears where the node's place, rotation and
                        ///< scale take it
};

/// A named set of parameter values, applied by the user once.
struct Preset {
    std::string name, label, help;
    std::vector<std::pair<std::string, ParameterValue>> values;
    std::string picture; ///< absolute path of an image, 3 wide by 2 high; empty: none
};

/// How nodes of version `from` are upgraded to version `from + 1`.
struct Upgrade {
    int from = 1;
    std::map<std::string, std::string> renameParameters, renameInputs, renameOutputs;
    std::vector<std::pair<std::string, std::string>> defaults; ///< parameter, JSON text of value
    std::string type; ///< new type of the node; empty: the same
};

/// What cannot go together: a graph in which all of it holds has a fault.
struct Exclusion {
    /// A node that an input's values come from, directly or not, but not through a solver or a
    /// node that takes several links, which may choose.
    struct Behind {
        std::string input;
        std::string type;
        std::vector<Condition> when; ///< of its parameters
    };
    std::vector<Condition> when;     ///< of the node's own parameters
    std::vector<std::string> linked; ///< inputs
    std::optional<Behind> behind;
    std::string cause, cure; ///< of the fault; "{node}" in them is the node behind
};

enum class Role {
    Value,  ///< stateless
    Solver, ///< owns state, advanced frame by frame
    Sink    ///< writes or draws
};

enum class CudaUse { None, Yes, Needed };

/// One node type of a manifest.
struct NodeType {
    std::string type;   ///< "floe.shape.sphere"
    std::string plugin; ///< id of the plugin it comes from
    int version = 1;
    std::string label, help;
    std::string category;             ///< as in the manifest: the key of groups and colours
    std::string categoryLabel;        ///< the label for the user, possibly translated
    std::vector<std::string> aliases; ///< words that find it in a search
    Role role = Role::Value;
    bool cpu = true;
    CudaUse cuda = CudaUse::None;
    /// Solver: several processes can simulate its scene together. Sink: each can run it for its own
    /// part, when its parameter `parts` is on.
    bool ranks = false;
    bool timeDependent = false; ///< the cook depends on the frame even when its inputs do not
    /// Of a solver: the host keeps what it gives on disk, frame by frame, and gives it from there
    /// while nothing before it has changed; its cook passes its input on.
    bool keepsFrames = false;
    /// Of a value: the host gives it its inputs of another frame, as its parameters say.
    bool shiftsFrame = false;
    std::string graph; ///< absolute path of the subgraph file the node is made of; empty: code
    /// Absolute path of a small scene whose node `shown` is of this type: what a node's parameters
    /// make of it at its last frame is a picture of the node. Parameters that the scene sets on the
    /// node itself stay. Empty: none.
    std::string preview;
    std::vector<ParameterSpec> parameters;
    std::vector<Socket> inputs, outputs;
    std::vector<Preset> presets;
    std::vector<Upgrade> upgrades;
    std::vector<Exclusion> excludes;

    const ParameterSpec* parameter(std::string_view name) const; ///< null when there is none
    const Socket* input(std::string_view name) const;
    const Socket* output(std::string_view name) const;
    /// Position in `parameters`; -1 when there is none.
    int parameterIndex(std::string_view name) const;
    /// Returns true when a node with these parameters uses one of them: its conditions hold, and
    /// those of the parameters they name. An animated parameter counts with all values of its keys;
    /// an expression, or a value that is not understood, satisfies any condition.
    /// @param stored  Node::parameters; absent ones have their defaults
    bool matters(const ParameterSpec& spec, const nlohmann::ordered_json& stored) const;
};

/// A plugin, as graphs see it.
struct PluginInfo {
    std::string id, version, label, vendor;
    std::string path; ///< of plugin.json
};

/// Returns whether version `have` ("1.10.0") is at least `need`; compares numerically.
bool versionAtLeast(std::string_view have, std::string_view need);

/// All node types of all plugins found. Fill it once, then share it: reading is safe from many
/// threads. NodeType pointers stay valid as long as the library.
class TypeLibrary {
public:
    TypeLibrary();
    ~TypeLibrary();
    TypeLibrary(TypeLibrary&&) noexcept;
    TypeLibrary& operator=(TypeLibrary&&) noexcept;

    /// Adds the node types of one plugin.json.
    /// @param path of the manifest, for faults; subgraph files lie beside it
    /// @return all faults; on an error nothing was added
    std::vector<Fault> addManifest(const nlohmann::ordered_json& manifest, const std::string& path);

    /// Reads and adds a plugin.json. An unreadable or invalid file is a fault too.
    std::vector<Fault> addManifestFile(const std::string& path);

    /// Notes that a node type's plugin is installed but not used (it crashed when probed, say), so
    /// that faults of graphs name the right cure.
    void addUnused(std::string type, std::string plugin);
    /// Returns the plugin's id; null when no such plugin was noted.
    const std::string* unusedPluginOf(std::string_view type) const;

    /// Translates the texts of all plugins: labels, help, groups, choices, presets; adds search
    /// words. Call it once, after the last manifest and before the library is shared. A plugin's
    /// translations lie beside its manifest (see translation.hpp); without a valid one, it stays in
    /// English.
    /// @param languages  of the user, best first: "fr_CA", "fr"; those after English are ignored
    /// @return faults of the translations
    std::vector<Fault> translate(const std::vector<std::string>& languages);

    /// Migrates, by a plugin's code, parameters saved by an older version of one of its types,
    /// after the manifest's upgrades. May throw Error.
    /// @param from  the version that saved them
    using CodeMigration = std::function<nlohmann::ordered_json(
        const NodeType& type, int from, const nlohmann::ordered_json& parameters)>;

    /// Without it, graphs are migrated by manifests alone (where plugins' code is not available).
    void setCodeMigration(CodeMigration migration) { codeMigration_ = std::move(migration); }
    const CodeMigration& codeMigration() const { return codeMigration_; }

    /// @return null when no plugin has the type
    const NodeType* find(std::string_view type) const;

    /// All types, ordered by name.
    std::vector<const NodeType*> all() const;

    /// @return null when it was not found
    const PluginInfo* plugin(std::string_view id) const;

    /// All plugins, ordered by id.
    std::vector<const PluginInfo*> plugins() const;

private:
    std::map<std::string, std::unique_ptr<NodeType>, std::less<>> types_;
    std::map<std::string, std::unique_ptr<PluginInfo>, std::less<>> plugins_;
    std::map<std::string, std::string, std::less<>> unused_; ///< node type -> plugin
    CodeMigration codeMigration_;
};

} // namespace floe::graph
