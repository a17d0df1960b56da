// A machine on which the name localhost is that of an address that others reach, as a line in /etc/hosts makes it.
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const { OTHER_ADDRESS: address = "" } = process.env;
const family = address.includes(":") ? 6 : 4;

const lookup = (original) =>
  function lookupElsewhere(host, options, callback) {
    if (host !== "localhost") return original(host, options, callback);
    const done = typeof options === "function" ? options : callback;
    const found = options?.all ? [[{ address, family }]] : [address, family];
    return process.nextTick(done, null, ...found);
  };
dns.lookup = lookup(dns.lookup);
const original = dns.promises.lookup;
dns.promises.lookup = async (host, options) => {
  if (host !== "localhost") return original(host, options);
  return options?.all ? [{ address, family }] : { address, family };
};
syncBuiltinESMExports();
