import should from "should";
import { useEditor } from "../support/editor.ts";

describe("the form of manage", function () {
  this.timeout(120_000);
  const editor = useEditor();

  it("requires the config nodes and texts that the action needs, and no others", async () => {
    const actions = {
      "networks.list": ["Choose a connection."],
      "watchers.list": ["Choose the channel of the watcher or query."],
      "wallets.create-or-find": ["Choose the wallet to create or find."],
      "channels.rename": ["Choose a connection.", "Enter a name or an id.", "Enter the new name."],
    };
    const nodes = Object.keys(actions).map((action, index) => ({
      ...{ id: `manage-${index}`, type: "crec-manage", z: "tab", x: 200, y: 60 * (index + 1), wires: [[]] },
      ...{ connection: "", channel: "", wallet: "", action, target: "", targetType: "str" },
      ...{ newName: "", newNameType: "str", description: "", descriptionType: "str", timeout: "60" },
    }));
    await editor().openWith([{ id: "tab", type: "tab", label: "manage" }, ...nodes]);
    for (const [index, errors] of Object.values(actions).entries()) {
      const { validationErrors } = await editor().inPage.stored(`manage-${index}`);
      should(validationErrors).deepEqual(errors);
    }
  });
});
