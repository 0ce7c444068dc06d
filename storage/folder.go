package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
)

// folder is a bucket of plain files. It is made when the first object is put.
type folder struct{ dir string }

func (f folder) String() string { return "the folder " + f.dir }

// Put writes beside the object's place first, and moves the file there once it is on the disk.
func (f folder) Put(ctx context.Context, key, contentType string, data []byte) error {
	if err := checkKey(key, contentType); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return f.fail(err)
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return f.fail(err)
	}
	defer root.Close()
	dir, name := path.Split(key)
	dir = path.Clean(dir)
	if err := root.MkdirAll(dir, 0o700); err != nil {
		return f.fail(err)
	}
	part := path.Join(dir, "."+name+"."+rand.Text())
	err = writeSynced(root, part, data)
	if err == nil {
		err = root.Rename(part, key)
	}
	if err != nil {
		return f.fail(errors.Join(err, ignoreAbsent(root.Remove(part))))
	}
	return f.fail(syncFolder(root, dir))
}

func writeSynced(root *os.Root, name string, data []byte) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Sync(), file.Close())
}

// syncFolder makes a name that was given last through a power cut.
func syncFolder(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func (f folder) Get(ctx context.Context, key string) (io.ReadCloser, Info, error) {
	contentType := contentTypes[path.Ext(key)]
	if err := checkKey(key, contentType); err != nil {
		return nil, Info{}, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, Info{}, err
	}
	file, err := os.OpenInRoot(f.dir, key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, Info{}, notFound(key, err)
	}
	if err != nil {
		return nil, Info{}, f.fail(err)
	}
	stat, err := file.Stat()
	if err != nil {
		return nil, Info{}, f.fail(errors.Join(err, file.Close()))
	}
	return file, Info{ContentType: contentType, Size: stat.Size(), Modified: stat.ModTime()}, nil
}

func (f folder) Delete(ctx context.Context, key string) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	root, err := os.OpenRoot(f.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // nothing was put yet
	}
	if err != nil {
		return f.fail(err)
	}
	defer root.Close()
	return f.fail(ignoreAbsent(root.Remove(key)))
}

func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (f folder) fail(err error) error {
	if err == nil {
		return nil
	}
	return unavailable(f.String(), folderReason(err), err)
}
