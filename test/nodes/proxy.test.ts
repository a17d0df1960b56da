import should from "should";
import { type ProxyNode, proxyFor } from "../../nodes/lib/proxy.ts";

/** Node-RED's config node as far as a connection reads it. */
function proxy(settings: {
  url?: string;
  noproxy?: string[];
  username?: string;
  password?: string;
}): ProxyNode {
  const { username, password, ...rest } = settings;
  return {
    ...rest,
    credentials: { ...(username ? { username } : {}), ...(password ? { password } : {}) },
  } as ProxyNode;
}

describe("the proxy of a connection", () => {
  const url = "http://proxy.example:3128";

  it("is that of the environment where none is chosen, and none where what is chosen is no address", () => {
    should(proxyFor(null, "https://host/v1")).equal("environment");
    should(proxyFor(proxy({}), "https://host/v1")).be.undefined();
    should(proxyFor(proxy({ url: "proxy" }), "https://host/v1")).be.undefined();
  });

  it("carries its user, whatever signs the password has", () => {
    const named = proxyFor(proxy({ url, username: "me", password: "p@ss:w/rd" }), "https://host/v1");
    should(named).equal("http://me:p%40ss%3Aw%2Frd@proxy.example:3128/");
  });

  it("is left out for the hosts that Node-RED is to reach directly", () => {
    const settings = proxy({ url, noproxy: ["localhost", ".inside.example", "*.lab", "host:8443"] });
    for (const direct of [
      "http://localhost:1/",
      "https://a.inside.example/v1",
      "https://b.lab",
      "https://host:8443/",
    ]) {
      should(proxyFor(settings, direct)).be.undefined();
    }
    for (const far of ["https://host/v1", "https://notinside.example/", "https://host:8444/"]) {
      should(proxyFor(settings, far)).equal("http://proxy.example:3128/");
    }
  });
});
