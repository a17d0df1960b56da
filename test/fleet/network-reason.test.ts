import should from "should";
import { codeOf, networkProblem } from "../../src/fleet/network-reason.ts";

describe("what the error of a socket says about a database", () => {
  it("names what to look at, and what a certificate needs", () => {
    should(networkProblem("ECONNREFUSED")).match({ kind: "lost", reason: /nothing listens at its port/ });
    should(networkProblem("ENOTFOUND")).match({ kind: "lost", reason: /host name is unknown/ });
    should(networkProblem("EHOSTUNREACH")).match({ kind: "lost", reason: /failed \(EHOSTUNREACH\)/ });
    for (const code of ["DEPTH_ZERO_SELF_SIGNED_CERT", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"]) {
      should(networkProblem(code)).match({ kind: "refused", reason: /as the option ca$/ });
    }
    for (const [code, reason] of [
      [
        "ERR_TLS_CERT_ALTNAME_INVALID",
        /another host name \(ERR_TLS_CERT_ALTNAME_INVALID\); correct the host/,
      ],
      ["CERT_HAS_EXPIRED", /not valid at this time \(CERT_HAS_EXPIRED\); renew it/],
      ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", /requires a client certificate.*as the option tls$/],
      ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", /requires a client certificate/],
      ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", /rejects the one it received/],
      ["ERR_OSSL_BAD_DECRYPT", /passphrase is wrong \(ERR_OSSL_BAD_DECRYPT\); .*as the option tls$/],
      ["ERR_OSSL_X509_KEY_VALUES_MISMATCH", /its key or the passphrase is wrong/],
    ] as const) {
      should(networkProblem(code)).match({ kind: "refused", reason });
    }
    should(networkProblem("ERR_SOCKET_CLOSED")).match({ kind: "lost" });
    should(networkProblem("28P01")).be.undefined();
  });

  it("reads the code of an error, or of the first one of several, cut", () => {
    should(codeOf(Object.assign(new Error("no"), { code: "EPIPE" }))).equal("EPIPE");
    should(codeOf(new AggregateError([Object.assign(new Error("no"), { code: "ECONNRESET" })]))).equal(
      "ECONNRESET",
    );
    should(codeOf({ code: "E".repeat(100) })).equal("E".repeat(40));
    for (const other of ["text", null, undefined, new Error("no code"), { code: 5 }]) {
      should(codeOf(other)).equal("");
    }
  });
});
