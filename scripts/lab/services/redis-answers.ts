import { connect } from 'node:net';

const PING_LIMIT_MS = 2000;

/** Whether a Redis on 127.0.0.1 takes the password and answers PING, over a connection of its own. */
export function redisAnswers(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    let received = '';
    socket.setTimeout(PING_LIMIT_MS, () => finish(false));
    socket.on('error', () => finish(false));
    socket.on('close', () => finish(false));
    socket.on('data', (chunk) => {
      received += chunk.toString('utf8');
      if (received.includes('+PONG')) finish(true);
      else if (received.includes('-')) finish(false);
    });
    socket.write(`AUTH ${password}\r\nPING\r\n`);
  });
}
