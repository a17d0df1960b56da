import { describeUnder, lookUp } from "../lib/editor/lookup.ts";
import { forms } from "../lib/editor/register.ts";
import { filled } from "../lib/editor/validate.ts";

forms.registerType("crec-channel", {
  category: "config",
  defaults: {
    name: { value: "" },
    connection: { value: "", type: "crec-connection", required: true },
    channel: { value: "", validate: filled("channel.error.channel") },
    createMissing: { value: false },
  },
  label() {
    return this.name || String(this.channel || "") || this._("channel.label.channel");
  },
  oneditprepare() {
    const connection = () => String($("#node-config-input-connection").val() ?? "");
    const channel = $("#node-config-input-channel");
    channel.autoComplete({ minLength: 0, search: lookUp("channels", connection) });
    const described = describeUnder(this, channel, "channels", connection, "channel.hint.missing");
    $("#node-config-input-connection").on("change", () => described.now());
  },
});
