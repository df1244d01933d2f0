// The websocket: JSON out, frames in (a JSON header and arrays behind it). It comes back by itself when the server does.
const TYPES = { f8: Float64Array, f4: Float32Array, u1: Uint8Array };
const SLOWEST = 5000; // milliseconds between attempts

export function decode(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length + padding(4 + length);
  const arrays = {};
  for (const [name, kind, count] of header.arrays) {
    const values = new TYPES[kind](buffer, at, count);
    arrays[name] = values;
    at += values.byteLength + padding(values.byteLength);
  }
  return { header, arrays };
}

const padding = (bytes) => (8 - (bytes % 8)) % 8;

export class Connection {
  /** `receive(header, arrays)` gets every answer, `change(state, words)` every "open" and "closed". */
  constructor(receive, change) {
    this.receive = receive;
    this.change = change;
    this.next = 1;
    this.wait = 250;
    this.open();
  }

  open() {
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = 250;
      this.change("open", "");
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") return this.receive(JSON.parse(data), {});
      const { header, arrays } = decode(data);
      this.receive(header, arrays);
    };
    socket.onclose = ({ code, reason }) => {
      const words = code >= 4000 ? reason : "The server is not there. The picture stays, and the page connects again by itself.";
      this.change("closed", words);
      setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, SLOWEST);
    };
    this.socket = socket;
  }

  get ready() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  /** The number of the message, null where there is no server to send it to. */
  send(kind, content = {}) {
    if (!this.ready) return null;
    const id = this.next++;
    this.socket.send(JSON.stringify({ ...content, id, kind }));
    return id;
  }
}
