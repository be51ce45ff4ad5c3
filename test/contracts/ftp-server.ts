// A small FTP server for tests: one user, files in memory, passive transfers only.

import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

export interface FtpServer {
  readonly url: string;
  readonly files: Map<string, Buffer>;
  close(): void;
}

/** The user is `charger`, the password `secret`; `silent`: it never says a word. */
export async function ftpServer(options: { readonly silent?: boolean } = {}): Promise<FtpServer> {
  const files = new Map<string, Buffer>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (!options.silent) serve(socket, files, sockets);
  });
  await listening(server);
  return {
    url: `ftp://charger:secret@127.0.0.1:${portOf(server)}`,
    files,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const listening = (server: Server): Promise<void> =>
  new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve()));

function serve(socket: Socket, files: Map<string, Buffer>, sockets: Set<Socket>): void {
  let user = '';
  let loggedIn = false;
  let data: Promise<Socket> | null = null;
  const say = (text: string): void => void socket.write(`${text}\r\n`);
  const commands: Readonly<Record<string, (argument: string) => void | Promise<void>>> = {
    USER: (name) => {
      user = name;
      say('331 and the password?');
    },
    PASS: (password) => {
      loggedIn = user === 'charger' && password === 'secret';
      say(loggedIn ? '230 welcome' : '530 not you');
    },
    TYPE: () => say('200 so be it'),
    EPSV: async () => {
      const passive = createServer();
      data = new Promise((resolve) => passive.once('connection', resolve));
      await listening(passive);
      say(`229 come in (|||${portOf(passive)}|)`);
      const connection = await data;
      sockets.add(connection);
      passive.close();
    },
    STOR: async (path) => {
      if (path.startsWith('/locked')) return say('553 not there');
      const connection = await data;
      say('150 go on');
      const pieces: Buffer[] = [];
      for await (const piece of connection ?? []) pieces.push(piece as Buffer);
      files.set(path, Buffer.concat(pieces));
      say('226 got it');
    },
    RETR: async (path) => {
      const file = files.get(path);
      if (file === undefined) return say('550 no such file');
      const connection = await data;
      say('150 here it comes');
      connection?.end(file, () => say('226 that was it'));
    },
    QUIT: () => {
      say('221 bye');
      socket.end();
    },
  };
  say('220 at your service');
  socket.on('data', (text) => {
    for (const line of text.toString().split('\r\n').filter(Boolean)) {
      const [word = '', ...rest] = line.split(' ');
      const command = commands[word];
      if (command === undefined) say('502 not known here');
      else if (!loggedIn && word !== 'USER' && word !== 'PASS') say('530 log in first');
      else void command(rest.join(' '));
    }
  });
}
