#include <gtest/gtest.h>

#include "tests/proxy/config/config_support.h"

namespace sworn::config {
namespace {

class GlobalFaults : public testing::TestWithParam<FaultCase> {};

TEST_P(GlobalFaults, AreToldWithLineKeyAndWhatIsRight) {
    expect_fault(GetParam());
}

constexpr FaultCase cases[] = {
    // the document
    {"Empty", "", "", 0, "", "empty"},
    {"NotAMap", "", "- a\n- b\n", 1, "", "must be a map of keys, not a list"},
    {"Syntax", "data_dir: x\n", "listen: {proxy: [a\nname: b\n", 3, "", "this is not YAML"},
    {"Tab", "data_dir: x\n", "listen:\n\tproxy: x\n", 3, "", "this is not YAML"},
    {"TwoDocuments", smallest, "---\nname: b\n", 4, "", "one document only"},
    {"Tag", smallest, "name: !secret sworn\n", 3, "", "tags have no meaning"},
    {"DuplicateKey", smallest, "name: a\nname: b\n", 4, "name", "first stands in line 3"},
    {"DuplicateKeyInside", smallest, "limits:\n  max_body: 1KiB\n  max_body: 2KiB\n", 5,
     "limits.max_body", "given twice"},
    {"UnknownKey", smallest, "colour: red\n", 3, "colour", "unknown key"},
    {"UnknownKeyClose", smallest, "timeout: {}\n", 3, "timeout", "did you mean \"timeouts\"?"},
    {"UnknownKeyInside", smallest, "limits: {max_bdy: 1KiB}\n", 3, "limits.max_bdy",
     "did you mean \"max_body\"?"},
    {"MergeKey", smallest, "limits: {<<: {max_body: 1KiB}}\n", 3, "limits.<<", "unknown key"},
    // top level
    {"NoDataDir", "", "listen: {proxy: [127.0.0.1:0]}\n", 1, "data_dir", "is required"},
    {"NullDataDir", "", "listen: {proxy: [127.0.0.1:0]}\ndata_dir:\n", 2, "data_dir",
     "is required"},
    {"DataDirAsList", "", "listen: {proxy: [127.0.0.1:0]}\ndata_dir: [a]\n", 2, "data_dir",
     "must be a single value, not a list"},
    {"NameWithBlank", smallest, "name: my proxy\n", 3, "name", "is not a name"},
    {"NameStartsWithDigit", smallest, "name: 1proxy\n", 3, "name", "is not a name"},
    {"UnknownStatusOther", smallest, "unknown_status: 502\n", 3, "unknown_status", "424"},
    {"InterceptWithoutKey", smallest, "intercept: {ca_cert: a}\n", 3, "intercept.ca_key",
     "is required"},
    {"InterceptWithoutCert", smallest, "intercept: {ca_key: a}\n", 3, "intercept.ca_cert",
     "is required"},
    // listen
    {"NoListen", "", "data_dir: ./data\n", 1, "listen", "is required"},
    {"NoProxy", "data_dir: ./data\n", "listen: {metrics: 127.0.0.1:0}\n", 2, "listen.proxy",
     "is required"},
    {"EmptyProxy", "data_dir: ./data\n", "listen: {proxy: []}\n", 2, "listen.proxy",
     "names no listener"},
    {"ListenerWithoutPort", "data_dir: ./data\n", "listen: {proxy: [127.0.0.1]}\n", 2,
     "listen.proxy[0]", "is not a listener"},
    {"ListenerPortTooHigh", "data_dir: ./data\n", "listen: {proxy: ['127.0.0.1:65536']}\n", 2,
     "listen.proxy[0]", "is not a listener"},
    {"ListenerBareIpv6", "data_dir: ./data\n", "listen: {proxy: ['::1:8118']}\n", 2,
     "listen.proxy[0]", "[::1]:8118"},
    {"ListenerTwice", "data_dir: ./data\n",
     "listen:\n  proxy: [127.0.0.1:8118]\n  metrics: 127.0.0.1:8118\n", 4, "listen.metrics",
     "listened on twice"},
    {"SocketTwice", "data_dir: ./data\n",
     "listen:\n  proxy: ['unix:./data/a', 'unix:data/../data/a']\n", 3, "listen.proxy[1]",
     "listened on twice"},
    {"SocketWithoutPath", "data_dir: ./data\n", "listen: {proxy: ['unix:']}\n", 2,
     "listen.proxy[0]", "needs a path"},
    {"SocketPathTooLong", "data_dir: ./data\n",
     "listen: {proxy: ['unix:/0123456789012345678901234567890123456789012345678901234567890123"
     "4567890123456789012345678901234567890123456789']}\n",
     2, "listen.proxy[0]", "longer than 107 bytes"},
    {"ControlOnTcpWithoutToken", "data_dir: ./data\n",
     "listen:\n  proxy: [127.0.0.1:0]\n  control: [unix:./c.sock, 127.0.0.1:0]\n", 4,
     "listen.control[1]", "needs control_token"},
    {"ControlTokenAsText", smallest, "control_token: hunter2\n", 3, "control_token",
     "secrets are not written"},
    // journal, limits, timeouts
    {"JournalBackend", smallest, "journal: {backend: sqlite}\n", 3, "journal.backend", "rocksdb"},
    {"JournalBareSize", smallest, "journal: {reserve: 64}\n", 3, "journal.reserve",
     "needs a unit: 64B or 64KiB"},
    {"JournalBareDuration", smallest, "journal: {retain_results: 72}\n", 3,
     "journal.retain_results", "needs a unit: 72s or 72ms"},
    {"SizeWithDecimalUnit", smallest, "limits: {max_body: 1MB}\n", 3, "limits.max_body",
     "is not a size like"},
    {"HeaderLimitTooSmall", smallest, "limits: {max_header: 10B}\n", 3, "limits.max_header",
     "at least 1024B"},
    {"CountWithUnit", smallest, "limits: {max_connections: 4KiB}\n", 3, "limits.max_connections",
     "is not a whole number from 1"},
    {"CountZero", smallest, "limits: {max_inflight: 0}\n", 3, "limits.max_inflight",
     "is not a whole number from 1"},
    {"CountNegative", smallest, "limits: {max_inflight: -1}\n", 3, "limits.max_inflight",
     "is not a whole number from 1"},
    {"BareTimeout", smallest, "timeouts:\n  connect: 5s\n  tls: 5\n", 5, "timeouts.tls",
     "needs a unit"},
    {"TimeoutZero", smallest, "timeouts: {total: 0s}\n", 3, "timeouts.total", "longer than zero"},
    {"TimeoutWeeks", smallest, "timeouts: {total: 1w}\n", 3, "timeouts.total",
     "is not a duration like"},
    // network
    {"CidrWithoutPrefix", smallest, "network: {allow_private: [127.0.0.1]}\n", 3,
     "network.allow_private[0]", "127.0.0.1/32"},
    {"CidrPrefixTooLong", smallest, "network: {allow_private: [10.0.0.0/33]}\n", 3,
     "network.allow_private[0]", "is not an address block"},
    {"CidrAsScalar", smallest, "network: {allow_private: 10.0.0.0/8}\n", 3, "network.allow_private",
     "must be a list"},
    {"ProxyWithPassword", smallest, "network: {upstream_proxy: 'http://u:hunter2@p:1'}\n", 3,
     "network.upstream_proxy", "name a credential instead"},
    {"ProxyOverTls", smallest, "network: {upstream_proxy: 'https://p:1'}\n", 3,
     "network.upstream_proxy", "http://host:port"},
    {"ProxyUnknownCredential", smallest,
     "network: {upstream_proxy: {url: 'http://p:1', credential: corp}}\n", 3,
     "network.upstream_proxy.credential", "no credential has the id \"corp\""},
    {"NameserverName", smallest, "network: {nameservers: [dns.example]}\n", 3,
     "network.nameservers[0]", "is not an address"},
    {"ResolveToName", smallest, "network: {resolve: {a.test: b.test}}\n", 3,
     "network.resolve.a.test", "is not an address"},
    {"ResolveNumericLookAlike", smallest, "network: {resolve: {a.test: 127.1}}\n", 3,
     "network.resolve.a.test", "is not an address"},
    {"ResolveBadName", smallest, "network: {resolve: {'a b': 127.0.0.1}}\n", 3,
     "network.resolve.a b", "is not a host name"},
    {"ResolveOwnName", smallest, "network: {resolve: {sworn.internal: 127.0.0.1}}\n", 3,
     "network.resolve.sworn.internal", "Sworn's own name"},
    {"ResolveTwiceByCase", smallest,
     "network:\n  resolve:\n    a.test: 127.0.0.1\n"
     "    A.test: 127.0.0.2\n",
     6, "network.resolve.A.test", "given twice"},
};
INSTANTIATE_TEST_SUITE_P(Table, GlobalFaults, testing::ValuesIn(cases),
                         [](const auto& row) { return std::string{row.param.name}; });

}  // namespace
}  // namespace sworn::config
