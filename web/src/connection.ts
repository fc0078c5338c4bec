import { decodeFrame, type Frame, type ServerMessage } from "./protocol";

export type LinkState = "connecting" | "open" | "closed" | "refused";

// The socket to the studio: comes back by itself when the server does.
export class Connection {
  onMessage: (message: ServerMessage) => void = () => {};
  onFrame: (frame: Frame) => void = () => {};
  onLink: (state: LinkState) => void = () => {};
  private socket: WebSocket | null = null;
  private wait = 250;

  constructor(readonly token: string) {}

  open() {
    this.onLink("connecting");
    const socket = new WebSocket(`ws://${location.host}/socket?token=${encodeURIComponent(this.token)}`);
    socket.binaryType = "arraybuffer";
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.wait = 250;
      this.onLink("open");
    };
    socket.onmessage = (event) => {
      if (event.data instanceof ArrayBuffer) {
        const frame = decodeFrame(event.data);
        if (frame) this.onFrame(frame);
      } else {
        this.onMessage(JSON.parse(event.data as string) as ServerMessage);
      }
    };
    socket.onclose = () => {
      if (this.socket !== socket) return;
      this.onLink("closed");
      // A server that answers but does not let us in has another token: coming back is of no use.
      void this.judge(opened);
    };
    this.socket = socket;
  }

  private async judge(opened: boolean) {
    if (!opened) {
      try {
        const answer = await fetch(`/socket?token=${encodeURIComponent(this.token)}`);
        if (answer.status === 403) return this.onLink("refused");
      } catch {
        // Nobody there: wait and try again.
      }
    }
    setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(2 * this.wait, 2000);
  }

  send(request: object) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(request));
  }

  // A motion file; the importer's sentence if it is refused.
  async drop(file: File, performer: number): Promise<string> {
    const answer = await fetch(
      `/import?name=${encodeURIComponent(file.name)}&performer=${performer}&token=${encodeURIComponent(this.token)}`,
      { method: "POST", body: file },
    );
    return answer.ok ? "" : (await answer.text()).trim();
  }

  fileAddress(id: string) {
    return `/take/${encodeURIComponent(id)}?token=${encodeURIComponent(this.token)}`;
  }
}
