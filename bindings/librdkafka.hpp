// The functions of librdkafka that read messages. They are looked up in the copy that the package
// confluent-kafka has loaded, so the extension is built and imported without it.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace librdkafka {

struct Handle;
struct Conf;
struct Queue;
struct Topic;
struct Error;
struct Places;
struct Place;

// A message, or an event of a partition if `error` is not 0. The layout belongs to the interface
// that librdkafka keeps.
struct Message {
    int error;
    Topic* topic;
    std::int32_t partition;
    void* value;
    std::size_t value_size;
    void* key;
    std::size_t key_size;
    std::int64_t offset;
    void* own;
};

using OnError = void (*)(Handle*, int error, const char* reason, void* opaque);

inline constexpr int consumer = 1;  // the type of a handle

// Looked up once for each handle. The members have the names that librdkafka gives them.
class Library {
    void* loaded_;

    template <class Function>
    void find(Function*& function, const char* name) const {
        function = reinterpret_cast<Function*>(dlsym(loaded_, name));
        if (function == nullptr) {
            throw std::runtime_error("the librdkafka of confluent-kafka has no function " +
                                     std::string(name));
        }
    }

public:
    Conf* (*conf_new)();
    void (*conf_destroy)(Conf*);
    int (*conf_set)(Conf*, const char* name, const char* value, char* text, std::size_t size);
    void (*conf_set_opaque)(Conf*, void*);
    void (*conf_set_error_cb)(Conf*, OnError);
    Handle* (*create)(int type, Conf*, char* text, std::size_t size);
    void (*destroy)(Handle*);
    int (*poll_set_consumer)(Handle*);
    int (*consumer_close)(Handle*);
    Queue* (*queue_get_consumer)(Handle*);
    void (*queue_destroy)(Queue*);
    Places* (*places_new)(int size);
    void (*places_destroy)(Places*);
    Place* (*places_add)(Places*, const char* topic, std::int32_t partition);
    int (*places_set_offset)(Places*, const char* topic, std::int32_t partition, std::int64_t);
    void (*place_set_leader_epoch)(Place*, std::int32_t);
    Error* (*incremental_assign)(Handle*, const Places*);
    Error* (*incremental_unassign)(Handle*, const Places*);
    const char* (*error_string)(const Error*);
    void (*error_destroy)(Error*);
    std::ptrdiff_t (*consume_batch_queue)(Queue*, int timeout, Message**, std::size_t);
    void (*message_destroy)(Message*);
    const char* (*message_errstr)(const Message*);
    std::int64_t (*message_timestamp)(const Message*, int* type);
    std::int32_t (*message_leader_epoch)(const Message*);
    const char* (*topic_name)(const Topic*);
    int (*get_watermark_offsets)(Handle*, const char* topic, std::int32_t partition,
                                 std::int64_t* low, std::int64_t* high);

    // `path` is an extension module that is linked with librdkafka and loaded.
    explicit Library(const char* path) : loaded_(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
        if (loaded_ == nullptr) throw std::runtime_error(dlerror());
        find(conf_new, "rd_kafka_conf_new");
        find(conf_destroy, "rd_kafka_conf_destroy");
        find(conf_set, "rd_kafka_conf_set");
        find(conf_set_opaque, "rd_kafka_conf_set_opaque");
        find(conf_set_error_cb, "rd_kafka_conf_set_error_cb");
        find(create, "rd_kafka_new");
        find(destroy, "rd_kafka_destroy");
        find(poll_set_consumer, "rd_kafka_poll_set_consumer");
        find(consumer_close, "rd_kafka_consumer_close");
        find(queue_get_consumer, "rd_kafka_queue_get_consumer");
        find(queue_destroy, "rd_kafka_queue_destroy");
        find(places_new, "rd_kafka_topic_partition_list_new");
        find(places_destroy, "rd_kafka_topic_partition_list_destroy");
        find(places_add, "rd_kafka_topic_partition_list_add");
        find(places_set_offset, "rd_kafka_topic_partition_list_set_offset");
        find(place_set_leader_epoch, "rd_kafka_topic_partition_set_leader_epoch");
        find(incremental_assign, "rd_kafka_incremental_assign");
        find(incremental_unassign, "rd_kafka_incremental_unassign");
        find(error_string, "rd_kafka_error_string");
        find(error_destroy, "rd_kafka_error_destroy");
        find(consume_batch_queue, "rd_kafka_consume_batch_queue");
        find(message_destroy, "rd_kafka_message_destroy");
        find(message_errstr, "rd_kafka_message_errstr");
        find(message_timestamp, "rd_kafka_message_timestamp");
        find(message_leader_epoch, "rd_kafka_message_leader_epoch");
        find(topic_name, "rd_kafka_topic_name");
        find(get_watermark_offsets, "rd_kafka_get_watermark_offsets");
    }
};

}  // namespace librdkafka
