// Turns appends into rows, or refuses them: the one place where an append meets its record's truth
// and its neighbours (token, idempotency key, guard). Keeps the live records, the position in the
// journal and the count of the unsettled. Used by the committer thread only (and by recovery
// before that thread runs); reads the store, never writes it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "journal/columns.h"
#include "journal/journal.h"
#include "journal/live_view.h"
#include "journal/store.h"

namespace sworn::journal {

/// What goes to disk in one write.
struct Group {
    Batch batch;
    std::unordered_map<std::string, std::string> bound;  ///< `index` rows of `batch`, for look-ups.
    std::vector<Waiter> ended;                           ///< Told once the batch is written.
    std::vector<InvocationId> done;                      ///< Their live state goes after the write.
    std::size_t events = 0, bytes = 0;
    bool sync = false;
};

struct Staged {
    std::optional<Refusal> refusal;
    std::optional<InvocationId> other;
    bool same_fingerprint = false;
    std::uint64_t last_seq = 0;
    bool read_fault = false;  ///< The store could not be read: the journal is to be poisoned.
};

class Staging {
public:
    Staging(Store& store, LiveView& view, Position position, std::size_t unsettled)
        : store_{store}, view_{view}, position_{position}, unsettled_{unsettled} {}

    /// Rows of `append` into `group`, or a refusal and `group` as it was. Sets each event's seq.
    [[nodiscard]] Staged stage(Append& append, Group& group);
    /// The group is on disk (or lost with the journal).
    void retire(const Group& group);

    /// The events and bodies give way to a tombstone, if nothing speaks against it now.
    bool bury(InvocationId id, Group& group);
    /// A tombstone, its token and its key go.
    bool erase_tombstone(InvocationId id, Group& group);

    [[nodiscard]] const Position& position() const noexcept { return position_; }
    [[nodiscard]] std::size_t unsettled() const noexcept { return unsettled_; }

private:
    struct Live {
        std::shared_ptr<const Record> record;
        Head head;  ///< As last written.
        bool unfinished_row = false, guarding_row = false;
    };
    struct Bound {
        std::string key, value;
    };

    [[nodiscard]] Staged stage_on(Live& live, Append& append, Group& group);
    [[nodiscard]] Live* find(InvocationId id, const Append* first);
    [[nodiscard]] std::optional<Staged> check_event(const Record& record, const Event& event,
                                                    const Group& group, std::vector<Bound>& bound);
    [[nodiscard]] std::optional<Staged> check_bindings(const Record& record, const Group& group,
                                                       std::vector<Bound>& bound);
    [[nodiscard]] std::optional<Staged> bind(const Record& record, std::string key,
                                             const Group& group, std::vector<Bound>& bound);
    [[nodiscard]] bool may_move(InvocationId holder);
    void stage_parts(Append& append, const Record& record, Group& group);
    void stage_lists(Live& live, const Record& after, bool last, Group& group);
    void set_listed(IdList list, InvocationId id, bool& listed, bool wanted, Group& group);
    void remove_rows(Column column, const std::string& prefix, Group& group);

    Store& store_;
    LiveView& view_;
    Position position_;
    std::size_t unsettled_;
    InvocationId newest_;  ///< No greater id was ever seen: a greater one is new.
    bool newest_known_ = false;
    std::unordered_map<InvocationId, Live, InvocationIdHash> live_;
};

}  // namespace sworn::journal
