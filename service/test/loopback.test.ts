import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import should from "should";
import { isLoopback } from "../src/api/access.ts";

const { lookup } = dns;

describe("an address that only this machine reaches", () => {
  afterEach(() => setLookup(lookup));

  it("is one of loopback, and no text that looks alike", async () => {
    for (const host of ["127.0.0.1", "::1", "[::1]", "localhost"])
      should(await isLoopback(host)).be.true(host);
    for (const host of ["0.0.0.0", "::", "0", "", "LOCALHOST", " localhost", "127.1", "192.0.2.2"])
      should(await isLoopback(host)).be.false(host);
  });

  it("is not the name localhost where that stands for another one, too", async () => {
    for (const [addresses, expected] of [
      [["127.0.0.1", "::1"], true],
      [["127.0.1.1"], true],
      [["192.0.2.2"], false],
      [["127.0.0.1", "fd00::2"], false],
    ] as const) {
      setLookup((async () => addresses.map((address) => ({ address, family: 0 }))) as never);
      should(await isLoopback("localhost")).equal(expected, addresses.join());
    }
  });
});

function setLookup(other: typeof lookup): void {
  dns.lookup = other;
  syncBuiltinESMExports();
}
