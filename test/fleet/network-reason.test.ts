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
    should(networkProblem("ERR_TLS_CERT_ALTNAME_INVALID")).match({ kind: "refused" });
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
