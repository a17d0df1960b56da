import should from "should";
import { environmentProxy, isDirect, proxyFor } from "../../src/http/proxy.ts";

const at = (address: string, environment: Record<string, string>) =>
  environmentProxy(new URL(address), environment)?.url;

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

  it("says which variable names it, as that is written", () => {
    for (const name of ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]) {
      const proxy = environmentProxy(new URL("https://host/v1"), { [name]: "http://proxy:1" });
      should(proxy?.place).equal(`the environment variable ${name}`);
    }
    should(proxyFor("proxy:1", new URL("https://host/"), {})).not.have.property("place");
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
      ["10.0.0.0/8", "https://10.1.2.3/", true],
      ["10.0.0.0/8", "https://11.1.2.3/", false],
      ["10.0.0.0/8", "https://ten.example/", false],
      ["192.168.1.0/24", "https://192.168.1.77:8443/", true],
      ["fd00::/8", "https://[fd00::1]/", true],
      ["fd00::/8", "https://[fe00::1]/", false],
      ["fd00::/8", "https://10.1.2.3/", false],
      ["fd00::1", "https://[fd00::1]:8443/", true],
      ["10.0.0.0/99", "https://10.1.2.3/", false],
      ["10.0.0.0/", "https://10.1.2.3/", false],
      ["nonsense/8", "https://10.1.2.3/", false],
    ];
    for (const [list, address, direct] of rows) {
      should(isDirect(new URL(address), list.split(","))).equal(direct, `${list} ${address}`);
      const proxy = at(address, { HTTPS_PROXY: "http://proxy:1", NO_PROXY: list });
      should(proxy === undefined).equal(direct, `${list} ${address}`);
    }
  });

  it("is refused by the name of its variable where it cannot be used", () => {
    for (const [name, value] of [
      ["ALL_PROXY", "socks5://user:hush-hush@proxy:1080"],
      ["HTTPS_PROXY", "http://ho st:1"],
    ] as const) {
      should(() => at("https://host/v1", { [name]: value })).throw(
        new RegExp(`environment variable ${name} must be an http or https address`),
      );
      should(() => at("https://host/v1", { [name]: value })).not.throw(/hush/);
    }
  });
});

describe("a proxy that was chosen", () => {
  const through = (choice: Parameters<typeof proxyFor>[0], address: string) =>
    proxyFor(choice, new URL(address), {})?.url;

  it("decides for each address, and is read as http without a scheme", () => {
    should(through("proxy:3128", "https://host/v1")).equal("http://proxy:3128");
    should(through("user:pass@proxy", "https://host/v1")).equal("http://user:pass@proxy");
    should(through(undefined, "https://host/v1")).be.undefined();
    const choice = { url: "http://proxy:1", except: ["inside.example", "10.0.0.0/8"] };
    should(through(choice, "https://inside.example/v1")).be.undefined();
    should(through(choice, "https://account.example/graphql")).equal("http://proxy:1");
    should(through(choice, "https://10.0.0.1/")).be.undefined();
    // Also this machine, which the environment would never send through one.
    should(through(choice, "http://127.0.0.1/")).equal("http://proxy:1");
  });
});
