import should from "should";
import { environmentProxy, isDirect } from "../../src/http/environment-proxy.ts";

const at = (address: string, environment: Record<string, string>) =>
  environmentProxy(new URL(address), environment);

describe("the proxy of the environment", () => {
  it("is that of the address's scheme, lower case first, ALL_PROXY last", () => {
    const both = { HTTPS_PROXY: "http://one:1", HTTP_PROXY: "http://two:2" };
    should(at("https://host/v1", both)).equal("http://one:1");
    should(at("http://host/v1", both)).equal("http://two:2");
    should(at("https://host/v1", { ...both, https_proxy: "http://three:3" })).equal("http://three:3");
    should(at("https://host/v1", { HTTP_PROXY: "http://two:2" })).be.undefined();
    should(at("https://host/v1", { ALL_PROXY: "proxy:8080" })).equal("http://proxy:8080");
    should(at("https://host/v1", { HTTPS_PROXY: "" })).be.undefined();
  });

  it("is never used for this very machine", () => {
    const environment = { HTTP_PROXY: "http://proxy:1" };
    for (const address of ["http://127.0.0.1:8787/", "http://localhost:1/", "http://[::1]:5/"]) {
      should(at(address, environment)).be.undefined();
    }
    for (const address of ["http://localhost.example/", "http://mylocalhost/", "http://127.0.0.1.example/"]) {
      should(at(address, environment)).equal("http://proxy:1");
    }
  });

  it("is left out for what NO_PROXY names", () => {
    const rows: Array<[string, string, boolean]> = [
      ["*", "https://host/", true],
      ["host", "https://host/", true],
      [" HOST , other", "https://host/", true],
      ["example.com", "https://a.example.com/", true],
      [".example.com", "https://a.example.com/", true],
      ["*.example.com", "https://a.example.com/", true],
      ["example.com", "https://notexample.com/", false],
      ["host:8443", "https://host:8443/", true],
      ["host:8443", "https://host/", false],
      ["host:443", "https://host/", true],
      ["example.com:8443", "https://a.example.com:8443/", true],
      ["example.com:8443", "https://a.example.com/", false],
      ["", "https://host/", false],
      ["", "https://host./", false],
      ["other,,", "https://host./", false],
    ];
    for (const [list, address, direct] of rows) {
      should(isDirect(new URL(address), list.split(","))).equal(direct, `${list} ${address}`);
      const proxy = at(address, { HTTPS_PROXY: "http://proxy:1", NO_PROXY: list });
      should(proxy === undefined).equal(direct, `${list} ${address}`);
    }
  });
});
