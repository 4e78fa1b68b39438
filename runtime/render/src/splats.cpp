#include "splats.hpp"

#include "shader_code.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>

namespace floe::render {
namespace {

constexpr std::uint32_t kBuffers = 10; // bindings 1 to 10
constexpr std::uint32_t kShadowBinding = kBuffers + 1;
constexpr std::uint32_t kSplatBytes = 32; // struct Splat of shaders/gaussians.glsl
constexpr std::uint32_t kDigits = 16;     // as there
constexpr std::uint32_t kDigitBits = 4;
constexpr std::uint32_t kKeyBits = 32;
constexpr std::uint32_t kThreads = 128;     // of a group
constexpr std::uint32_t kKeysAGroup = 2048; // of the sort
constexpr std::uint32_t kSetsAPool = 64;
constexpr std::uint32_t kCorners = 6;      // of two triangles
constexpr std::uint64_t kHeaderBytes = 16; // of the counts: what to draw
constexpr VkPipelineStageFlags kCompute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr VkAccessFlags kRead = VK_ACCESS_SHADER_READ_BIT, kWrite = VK_ACCESS_SHADER_WRITE_BIT;
constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_VERTEX_BIT;

std::uint64_t terms(int degree)
{
    return 3 * static_cast<std::uint64_t>((degree + 1) * (degree + 1));
}

std::uint32_t groupsOf(std::uint64_t count, std::uint32_t size)
{
    return static_cast<std::uint32_t>((count + size - 1) / size);
}

/// Bounds of what is opaque enough to cast a shadow.
Bounds castersOf(const GaussianSet& set)
{
    Bounds bounds = kNoBounds;
    for (std::size_t i = 0; i < set.positions.size(); ++i) {
        const Float3& p = set.positions[i];
        const Float3& s = set.scales[i];
        const float reach = 1.2f * std::max({s[0], s[1], s[2]}); // where half the light is left
        if (!(set.opacities[i] > 0.5f && reach < 1e9f) || !finite(p) ||
            std::max({std::abs(p[0]), std::abs(p[1]), std::abs(p[2])}) > 1e9f)
            continue;
        include(bounds, subtract(p, {reach, reach, reach}));
        include(bounds, add(p, {reach, reach, reach}));
    }
    return bounds;
}

PipelineHandle computePipeline(VkDevice device, VkPipelineLayout layout, Spirv code)
{
    VkShaderModuleCreateInfo shaderInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    shaderInfo.codeSize = code.size_bytes();
    shaderInfo.pCode = code.data();
    VkShaderModule shader;
    check(vkCreateShaderModule(device, &shaderInfo, nullptr, &shader), "load a shader");
    const ShaderHandle owner(device, shader);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = shader;
    info.stage.pName = "main";
    info.layout = layout;
    VkPipeline pipeline;
    check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "create a pipeline");
    return {device, pipeline};
}

/// What the first stages wrote is seen by the second ones.
void wait(VkCommandBuffer commands, VkPipelineStageFlags from, VkAccessFlags written,
          VkPipelineStageFlags to, VkAccessFlags read)
{
    VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    barrier.srcAccessMask = written;
    barrier.dstAccessMask = read;
    vkCmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

} // namespace

Splats::Splats(std::shared_ptr<Device> device, const Buffer& block)
    : device_(std::move(device)), block_(&block)
{
    std::vector<VkDescriptorSetLayoutBinding> bindings = {
        {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, kStages, nullptr}};
    for (std::uint32_t i = 1; i <= kBuffers; ++i)
        bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, kStages, nullptr});
    bindings.push_back({kShadowBinding, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1,
                        VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
    sampler_ = edgeSampler(*device_);
    VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    setInfo.bindingCount = static_cast<std::uint32_t>(bindings.size());
    setInfo.pBindings = bindings.data();
    VkDescriptorSetLayout setLayout;
    check(vkCreateDescriptorSetLayout(device_->get(), &setInfo, nullptr, &setLayout),
          "create a set layout");
    setLayout_ = {device_->get(), setLayout};
    const VkPushConstantRange push{kStages, 0, sizeof(Step)};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &setLayout;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &push;
    VkPipelineLayout layout;
    check(vkCreatePipelineLayout(device_->get(), &info, nullptr, &layout),
          "create a pipeline layout");
    layout_ = {device_->get(), layout};

    // Hundreds of layers are blended in a pixel; halfs would lose their last bits each time.
    const bool whole = device_->blends(VK_FORMAT_R32G32B32A32_SFLOAT);
    sums_ = whole ? VK_FORMAT_R32G32B32A32_SFLOAT : VK_FORMAT_R16G16B16A16_SFLOAT;
    sumBytes_ = whole ? 16 : 8;
    pass_ = Pass(device_, {sums_}, Pass::Depth::Keep, Pass::After::Sample);
    frontPass_ = Pass(device_, {sums_}, Pass::Depth::Keep, Pass::After::Sample);
}

void Splats::makeShadowPipeline(const Pass& shadow)
{
    shadowing_ = shadow.pipeline(layout_.get(), {.vertex = shader::kSplatShadowVert,
                                                 .fragment = shader::kDiscFrag,
                                                 .depth = VK_COMPARE_OP_LESS});
}

bool Splats::SetBuffers::holds(const GaussianSet& set) const
{
    return set.revision != 0 && set.revision == revision && set.positions.size() == count;
}

void Splats::measure(const Scene& scene)
{
    sets_.resize(std::max(sets_.size(), scene.gaussians.size()));
    casters_ = kNoBounds;
    count_ = 0;
    setCount_ = scene.gaussians.size();
    casting_.assign(setCount_, false);
    for (std::size_t i = 0; i < scene.gaussians.size(); ++i) {
        const GaussianSet& set = scene.gaussians[i];
        if (!sets_[i].holds(set))
            sets_[i].casters = castersOf(set);
        count_ += set.positions.size();
        casting_[i] = set.shadow && !isEmpty(sets_[i].casters);
        if (casting_[i]) {
            include(casters_, sets_[i].casters.low);
            include(casters_, sets_[i].casters.high);
        }
    }
    if (count_ > 0 && !projecting_) { // most scenes have none
        if (device_->limits().maxPerStageDescriptorStorageBuffers < kBuffers)
            throw DeviceError({}, "renderer: '" + device_->info().name +
                                      "' cannot draw Gaussians: it "
                                      "binds too few buffers");
        using namespace shader;
        projecting_ = computePipeline(device_->get(), layout_.get(), kSplatProjectComp);
        counting_ = computePipeline(device_->get(), layout_.get(), kSplatCountComp);
        scanning_ = computePipeline(device_->get(), layout_.get(), kSplatScanComp);
        scattering_ = computePipeline(device_->get(), layout_.get(), kSplatScatterComp);
        drawing_ = pass_.pipeline(layout_.get(), {.vertex = kSplatVert,
                                                  .fragment = kSplatFrag,
                                                  .depth = VK_COMPARE_OP_GREATER,
                                                  .blend = PipelineShape::Blend::Over});
    }
}

bool Splats::othersCast(std::size_t set) const
{
    for (std::size_t i = 0; i < setCount_; ++i)
        if (i != set && casting_[i])
            return true;
    return false;
}

/// Multiples of 256 keep offsets aligned.
std::uint64_t Splats::mostInAPart(int degree) const
{
    const auto& limits = device_->limits();
    const std::uint64_t byBinding =
        limits.maxStorageBufferRange / (std::max<std::uint64_t>(terms(degree), 4) * sizeof(float));
    const std::uint64_t byGroups = std::uint64_t{limits.maxComputeWorkGroupCount[0]} * kThreads;
    return std::min<std::uint64_t>({byBinding, byGroups, 1u << 29}) / 256 * 256;
}

void Splats::upload(const Scene& scene)
{
    if (count_ == 0)
        return;
    const auto& limits = device_->limits();
    const std::uint64_t most = std::min<std::uint64_t>(
        {limits.maxStorageBufferRange / kSplatBytes,
         std::uint64_t{limits.maxComputeWorkGroupCount[0]} * kKeysAGroup, 1u << 29});
    if (count_ > most)
        throw InputError({.parameter = "gaussians"},
                         "has " + std::to_string(count_) + " Gaussians, and '" +
                             device_->info().name + "' draws at most " + std::to_string(most),
                         "crop the set or leave out faint ones");
    for (std::size_t i = 0; i < scene.gaussians.size(); ++i) {
        const GaussianSet& set = scene.gaussians[i];
        SetBuffers& own = sets_[i];
        if (own.holds(set))
            continue;
        own.revision = 0; // until all of it arrived
        const auto fill = [&](GrowingBuffer& buffer, auto values) {
            buffer.fill(device_, staging_, std::as_bytes(values));
        };
        fill(own.positions, set.positions);
        fill(own.scales, set.scales);
        fill(own.rotations, set.rotations);
        fill(own.opacities, set.opacities);
        if (set.harmonicsRevision == 0 || set.harmonicsRevision != own.harmonicsRevision ||
            set.harmonics.size() != own.harmonicsCount) {
            own.harmonicsRevision = 0; // until all of it arrived
            fill(own.harmonics, set.harmonics);
            own.harmonicsRevision = set.harmonicsRevision;
            own.harmonicsCount = set.harmonics.size();
        }
        fill(own.turns, set.turns);
        own.revision = set.revision;
        own.count = set.positions.size();
    }
    const auto grow = [&](Buffer& buffer, std::uint64_t bytes, VkBufferUsageFlags more = 0) {
        if (buffer.bytes() >= bytes)
            return;
        buffer = {};
        buffer = Buffer(device_, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | more,
                        Buffer::Place::Device);
    };
    grow(splats_, kSplatBytes * count_);
    for (Buffer& buffer : pairs_)
        grow(buffer, 8 * count_);
    grow(counts_, kHeaderBytes + 4 * kDigits * std::uint64_t{groupsOf(count_, kKeysAGroup)},
         VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT);
}

VkDescriptorSet Splats::allocate()
{
    for (;; ++pool_) {
        if (pool_ == pools_.size()) {
            const VkDescriptorPoolSize sizes[] = {
                {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kSetsAPool},
                {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kSetsAPool * kBuffers},
                {VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, kSetsAPool}};
            VkDescriptorPoolCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
            info.maxSets = kSetsAPool;
            info.poolSizeCount = 3;
            info.pPoolSizes = sizes;
            VkDescriptorPool pool;
            check(vkCreateDescriptorPool(device_->get(), &info, nullptr, &pool),
                  "create a descriptor pool");
            pools_.emplace_back(device_->get(), pool);
        }
        VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        info.descriptorPool = pools_[pool_].get();
        info.descriptorSetCount = 1;
        const VkDescriptorSetLayout layout = setLayout_.get();
        info.pSetLayouts = &layout;
        VkDescriptorSet set;
        const VkResult result = vkAllocateDescriptorSets(device_->get(), &info, &set);
        if (result == VK_SUCCESS)
            return set;
        if (result != VK_ERROR_OUT_OF_POOL_MEMORY && result != VK_ERROR_FRAGMENTED_POOL)
            check(result, "allocate descriptors");
    }
}

void Splats::describe(const Scene& scene)
{
    for (const DescriptorPoolHandle& pool : pools_)
        check(vkResetDescriptorPool(device_->get(), pool.get(), 0), "reset descriptors");
    pool_ = 0;
    parts_.clear();
    if (count_ == 0)
        return;
    const auto describe = [&](const std::vector<VkDescriptorBufferInfo>& inputs, std::size_t from) {
        const VkDescriptorSet set = allocate();
        std::vector<VkDescriptorBufferInfo> infos = {{block_->get(), 0, sizeof(FrameBlock)}};
        infos.insert(infos.end(), inputs.begin(), inputs.end());
        for (const Buffer* buffer : {&splats_, &pairs_[from], &pairs_[1 - from], &counts_})
            infos.push_back({buffer->get(), 0, VK_WHOLE_SIZE});
        std::vector<VkWriteDescriptorSet> writes;
        for (std::uint32_t i = 0; i < infos.size(); ++i) {
            VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
            write.dstSet = set;
            write.dstBinding = i;
            write.descriptorCount = 1;
            write.descriptorType =
                i == 0 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            write.pBufferInfo = &infos[i];
            writes.push_back(write);
        }
        const VkDescriptorImageInfo shadows{sampler_.get(), shadows_->view(),
                                            VK_IMAGE_LAYOUT_DEPTH_STENCIL_READ_ONLY_OPTIMAL};
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = set;
        write.dstBinding = kShadowBinding;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        write.pImageInfo = &shadows;
        writes.push_back(write);
        vkUpdateDescriptorSets(device_->get(), static_cast<std::uint32_t>(writes.size()),
                               writes.data(), 0, nullptr);
        return set;
    };
    std::vector<VkDescriptorBufferInfo> any;
    std::uint32_t first = 0;
    for (std::size_t i = 0; i < scene.gaussians.size(); ++i) {
        const GaussianSet& set = scene.gaussians[i];
        const SetBuffers& own = sets_[i];
        const std::uint64_t most = mostInAPart(set.degree);
        for (std::uint64_t begin = 0; begin < set.positions.size(); begin += most) {
            const std::uint64_t count = std::min(most, set.positions.size() - begin);
            const auto range = [&](const GrowingBuffer& buffer,
                                   std::uint64_t floats) -> VkDescriptorBufferInfo {
                return {buffer.get(), 4 * floats * begin, 4 * floats * count};
            };
            any = {range(own.positions, 3),
                   range(own.scales, 3),
                   range(own.rotations, 4),
                   range(own.opacities, 1),
                   range(own.harmonics, terms(set.degree)),
                   set.turns.empty() ? VkDescriptorBufferInfo{own.turns.get(), 0, 256}
                                     : range(own.turns, 4)};
            Part part{};
            part.set = describe(any, 0);
            part.step = {.first = first,
                         .count = static_cast<std::uint32_t>(count),
                         .degree = static_cast<std::uint32_t>(set.degree),
                         .turned = set.turns.empty() ? 0u : 1u};
            part.number = i;
            part.shadow = casting_[i];
            parts_.push_back(part);
            first += static_cast<std::uint32_t>(count);
        }
    }
    for (std::size_t from = 0; from < 2; ++from)
        sorts_[from] = describe(any, from);
}

void Splats::resize(VkExtent2D samples, const Texture& depths, const Texture& shadows,
                    const Texture* front)
{
    shadows_ = &shadows;
    constexpr VkImageUsageFlags kUsage =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
    if (depths_ != &depths || picture_.extent().width != samples.width ||
        picture_.extent().height != samples.height) {
        release();
        picture_ = Texture(device_, samples, sums_, kUsage);
        pass_.target({&picture_, &depths});
        depths_ = &depths;
    }
    if (front && frontDepths_ != front) {
        front_ = Texture(device_, samples, sums_, kUsage);
        frontPass_.target({&front_, front});
        frontDepths_ = front;
    }
}

void Splats::release()
{
    picture_ = {};
    front_ = {};
    depths_ = frontDepths_ = nullptr;
}

void Splats::dispatch(VkCommandBuffer commands, const PipelineHandle& pipeline, VkDescriptorSet set,
                      const Step& step, std::uint32_t groups) const
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.get());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_.get(), 0, 1, &set, 0,
                            nullptr);
    vkCmdPushConstants(commands, layout_.get(), kStages, 0, sizeof step, &step);
    vkCmdDispatch(commands, groups, 1, 1);
}

void Splats::recordBegin(VkCommandBuffer commands) const
{
    const std::array<std::uint32_t, 4> nothing = {0, 1, 0, 0}; // VkDrawIndirectCommand
    vkCmdUpdateBuffer(commands, counts_.get(), 0, sizeof nothing, nothing.data());
    wait(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, kCompute,
         kRead | kWrite);
}

void Splats::recordProjection(VkCommandBuffer commands, std::size_t set, bool shaded) const
{
    for (const Part& part : parts_) {
        if (part.number != set)
            continue;
        Step step = part.step;
        step.shaded = shaded ? 1 : 0;
        dispatch(commands, projecting_, part.set, step, groupsOf(step.count, kThreads));
        wait(commands, kCompute, kWrite, kCompute, kRead | kWrite);
    }
}

void Splats::recordSort(VkCommandBuffer commands) const
{
    const auto then = [&] {
        wait(commands, kCompute, kWrite, kCompute, kRead | kWrite);
    };
    Step step{.count = static_cast<std::uint32_t>(count_)};
    step.groups = groupsOf(count_, kKeysAGroup);
    std::size_t from = 0;
    for (step.shift = 0; step.shift < kKeyBits; step.shift += kDigitBits, from = 1 - from) {
        dispatch(commands, counting_, sorts_[from], step, step.groups);
        then();
        dispatch(commands, scanning_, sorts_[from], step, 1);
        then();
        dispatch(commands, scattering_, sorts_[from], step, step.groups);
        then();
    }
    // After an even number of passes the pairs are where they began.
    wait(commands, kCompute, kWrite,
         VK_PIPELINE_STAGE_VERTEX_SHADER_BIT | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
         kRead | VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

void Splats::recordShadow(VkCommandBuffer commands, std::size_t without) const
{
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, shadowing_.get());
    for (const Part& part : parts_) {
        if (!part.shadow || part.number == without)
            continue;
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.get(), 0, 1,
                                &part.set, 0, nullptr);
        vkCmdPushConstants(commands, layout_.get(), kStages, 0, sizeof part.step, &part.step);
        vkCmdDraw(commands, kCorners * part.step.count, 1, 0, 0);
    }
}

void Splats::draw(VkCommandBuffer commands, const Pass& pass) const
{
    pass.begin(commands);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, drawing_.get());
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.get(), 0, 1,
                            &sorts_[0], 0, nullptr);
    const Step step{};
    vkCmdPushConstants(commands, layout_.get(), kStages, 0, sizeof step, &step);
    vkCmdDrawIndirect(commands, counts_.get(), 0, 1, sizeof(VkDrawIndirectCommand));
    Pass::end(commands);
}

const Texture& Splats::record(VkCommandBuffer commands) const
{
    draw(commands, pass_);
    return picture_;
}

const Texture& Splats::recordFront(VkCommandBuffer commands) const
{
    draw(commands, frontPass_);
    return front_;
}

} // namespace floe::render
