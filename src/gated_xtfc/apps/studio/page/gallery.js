// The library's families: a name, its equation, one line on what to look at.
const get = (id) => document.getElementById(id);

export class Gallery {
  constructor(choose) {
    this.choose = choose;
  }

  show(families) {
    get("families").replaceChildren(...families.map((family) => {
      const item = document.createElement("li"), button = document.createElement("button");
      const parts = { b: family.name.replaceAll("_", " "), code: family.equations.join("   "), span: family.look };
      button.type = "button";
      button.dataset.family = family.name;
      for (const [tag, text] of Object.entries(parts)) {
        const part = document.createElement(tag);
        part.textContent = text;
        button.append(part);
      }
      button.onclick = () => {
        get("gallery").close();
        this.choose(family);
      };
      item.append(button);
      return item;
    }));
  }
}
