// Messages of Kafka, whole batches at a time: no Python object is made for a message.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "librdkafka.hpp"
#include "parts.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using librdkafka::Message;

namespace {

// The payloads or the keys of messages, behind each other, each with a line end. A size of -1 is
// that of a message without any.
struct Joined {
    std::vector<std::int64_t> sizes;
    std::size_t bytes = 0;

    void add(const void* data, std::size_t size) {
        sizes.push_back(data == nullptr ? -1 : static_cast<std::int64_t>(size));
        bytes += (data == nullptr ? 0 : size) + 1;
    }
};

char* put(char* to, const void* data, std::size_t size) {
    if (data != nullptr) to = std::copy_n(static_cast<const char*>(data), size, to);
    *to = '\n';
    return to + 1;
}

// Consecutive messages of one partition.
struct Batch {
    librdkafka::Topic* topic;
    std::int32_t partition;
    std::vector<const Message*> messages;
    Joined values, keys;
    bool has_keys = false;
    std::vector<std::int64_t> offsets, times;
};

class Consumer {
    // Messages that librdkafka is asked for at a time, and the bytes after which no more are.
    static constexpr std::size_t few = 64, most_bytes = 1 << 22;

    struct Reported {
        int error;
        std::string reason;
    };

    librdkafka::Library kafka_;
    librdkafka::Handle* handle_ = nullptr;
    librdkafka::Queue* queue_ = nullptr;
    std::vector<Reported> reported_;  // by `consume`, in the thread that calls it

    static void report(librdkafka::Handle*, int error, const char* reason, void* self) {
        static_cast<Consumer*>(self)->reported_.push_back({error, reason});
    }

    auto places(const nb::list& wanted) const {
        const auto free = [this](librdkafka::Places* p) { kafka_.places_destroy(p); };
        std::unique_ptr<librdkafka::Places, decltype(free)> out(
            kafka_.places_new(static_cast<int>(nb::len(wanted))), free);
        for (const nb::handle one : wanted) {
            const auto [topic, partition, offset, epoch] =
                nb::cast<std::tuple<std::string, std::int32_t, std::int64_t, std::int32_t>>(one);
            librdkafka::Place* const place = kafka_.places_add(out.get(), topic.c_str(), partition);
            kafka_.places_set_offset(out.get(), topic.c_str(), partition, offset);
            if (epoch >= 0) kafka_.place_set_leader_epoch(place, epoch);
        }
        return out;
    }

    librdkafka::Handle* opened() const {
        if (handle_ == nullptr) throw nb::value_error("the consumer is closed");
        return handle_;
    }

    void check(librdkafka::Error* error) const {
        if (error == nullptr) return;
        const std::string text = kafka_.error_string(error);
        kafka_.error_destroy(error);
        throw std::runtime_error(text);
    }

    nb::tuple finished(const Batch& batch) const {
        const auto joined = [&](const Joined& these, auto data, auto size) {
            nb::object text =
                nb::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(these.bytes)));
            if (!text.is_valid()) nb::raise_python_error();
            char* to = PyBytes_AsString(text.ptr());
            {
                const nb::gil_scoped_release free;  // nobody else has the text yet
                for (const Message* m : batch.messages) to = put(to, m->*data, m->*size);
            }
            return nb::make_tuple(text, owned(these.sizes));
        };
        const Message& last = *batch.messages.back();
        return nb::make_tuple(
            kafka_.topic_name(batch.topic), batch.partition, kafka_.message_leader_epoch(&last),
            owned(batch.offsets), owned(batch.times),
            joined(batch.values, &Message::value, &Message::value_size),
            batch.has_keys ? nb::object(joined(batch.keys, &Message::key, &Message::key_size))
                           : nb::object(nb::none()));
    }

public:
    Consumer(const std::string& library, const nb::dict& settings) : kafka_(library.c_str()) {
        const auto free = [this](librdkafka::Conf* c) { kafka_.conf_destroy(c); };
        std::unique_ptr<librdkafka::Conf, decltype(free)> conf(kafka_.conf_new(), free);
        char text[512];
        for (const auto [name, value] : settings) {
            const auto key = nb::cast<std::string>(name), set = nb::cast<std::string>(value);
            if (kafka_.conf_set(conf.get(), key.c_str(), set.c_str(), text, sizeof text) != 0) {
                throw nb::value_error(text);
            }
        }
        kafka_.conf_set_opaque(conf.get(), this);
        kafka_.conf_set_error_cb(conf.get(), report);
        handle_ = kafka_.create(librdkafka::consumer, conf.get(), text, sizeof text);
        if (handle_ == nullptr) throw nb::value_error(text);
        static_cast<void>(conf.release());  // it belongs to the handle
        kafka_.poll_set_consumer(handle_);
        queue_ = kafka_.queue_get_consumer(handle_);
    }

    Consumer(const Consumer&) = delete;
    Consumer& operator=(const Consumer&) = delete;
    ~Consumer() { close(); }

    void close() noexcept {
        if (handle_ == nullptr) return;
        kafka_.queue_destroy(queue_);
        kafka_.consumer_close(handle_);
        kafka_.destroy(handle_);
        handle_ = nullptr;
    }

    void assign(const nb::list& wanted) {
        check(kafka_.incremental_assign(opened(), places(wanted).get()));
    }

    void unassign(const nb::list& wanted) {
        check(kafka_.incremental_unassign(opened(), places(wanted).get()));
    }

    // What the last fetch said; nothing is asked.
    std::int64_t end(const std::string& topic, std::int32_t partition) const {
        std::int64_t low = 0, high = 0;
        const int error =
            kafka_.get_watermark_offsets(opened(), topic.c_str(), partition, &low, &high);
        return error == 0 ? high : -1;
    }

    nb::tuple consume(std::size_t most, double timeout) {
        static_cast<void>(opened());
        const auto free = [this](Message* m) { kafka_.message_destroy(m); };
        std::vector<std::unique_ptr<Message, decltype(free)>> kept;
        std::vector<Batch> batches;
        {
            const nb::gil_scoped_release unlocked;
            fetch(kept, most, timeout, free);
            sort(kept, batches);
        }
        nb::list read, events, errors;
        for (const Batch& batch : batches) read.append(finished(batch));
        for (const auto& m : kept) {
            if (m->error == 0) continue;
            events.append(nb::make_tuple(m->topic ? kafka_.topic_name(m->topic) : "", m->partition,
                                         m->offset, m->error, kafka_.message_errstr(m.get())));
        }
        for (const Reported& r : reported_) errors.append(nb::make_tuple(r.error, r.reason));
        reported_.clear();
        {
            const nb::gil_scoped_release unlocked;
            kept.clear();
        }
        return nb::make_tuple(read, events, errors);
    }

private:
    // A call of librdkafka waits until it has all that it was asked for. So it is asked for what
    // is there, and for a single message if there is none; a few at a time, because some messages
    // are large.
    template <class Messages, class Free>
    void fetch(Messages& kept, std::size_t most, double timeout, const Free& free) const {
        std::array<Message*, few> found;
        std::size_t bytes = 0;
        const auto fetch_up_to = [&](std::size_t n, int milliseconds) {
            const auto got = kafka_.consume_batch_queue(queue_, milliseconds, found.data(), n);
            for (std::ptrdiff_t i = 0; i < got; ++i) {
                bytes += found[i]->value_size;
                kept.emplace_back(found[i], free);
            }
            return got == static_cast<std::ptrdiff_t>(n);
        };
        const auto fetch_more = [&] {
            while (kept.size() < most && bytes < most_bytes) {
                if (!fetch_up_to(std::min(few, most - kept.size()), 0)) break;
            }
        };
        kept.reserve(most);
        fetch_more();
        if (kept.empty() && fetch_up_to(1, static_cast<int>(1000 * timeout))) fetch_more();
    }

    template <class Messages>
    void sort(const Messages& kept, std::vector<Batch>& batches) const {
        Batch* batch = nullptr;
        for (const auto& m : kept) {
            if (m->error != 0) continue;
            if (batch == nullptr || batch->topic != m->topic || batch->partition != m->partition) {
                const auto same = std::ranges::find_if(batches, [&](const Batch& b) {
                    return b.partition == m->partition &&
                           std::string_view(kafka_.topic_name(b.topic)) ==
                               kafka_.topic_name(m->topic);
                });
                if (same == batches.end()) {
                    batch =
                        &batches.emplace_back(Batch{.topic = m->topic, .partition = m->partition});
                } else {
                    batch = &*same;
                }
            }
            batch->messages.push_back(m.get());
            batch->values.add(m->value, m->value_size);
            batch->keys.add(m->key, m->key_size);
            batch->has_keys |= m->key != nullptr;
            batch->offsets.push_back(m->offset);
            int type = 0;
            batch->times.push_back(kafka_.message_timestamp(m.get(), &type));
        }
    }
};

}  // namespace

void bind_kafka(nb::module_& m) {
    nb::class_<Consumer>(m, "KafkaConsumer")
        .def(nb::init<const std::string&, const nb::dict&>(), "library"_a, "settings"_a,
             nb::sig("def __init__(self, library: str, settings: dict[str, str]) -> None"))
        .def("assign", &Consumer::assign, "places"_a,
             nb::sig("def assign(self, places: list[tuple[str, int, int, int]]) -> None"))
        .def("unassign", &Consumer::unassign, "places"_a,
             nb::sig("def unassign(self, places: list[tuple[str, int, int, int]]) -> None"))
        .def("end", &Consumer::end, "topic"_a, "partition"_a)
        .def("consume", &Consumer::consume, "most"_a, "timeout"_a,
             nb::sig("def consume(self, most: int, timeout: float) -> tuple[list[tuple[typing.Any, "
                     "...]], list[tuple[str, int, int, int, str]], list[tuple[int, str]]]"))
        .def("close", &Consumer::close, nb::call_guard<nb::gil_scoped_release>());
}
